"""The trace store of a project: one object for everything that is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.models import (
    CaseSpec,
    CaseSummary,
    Judgement,
    Outcome,
    RunInfo,
)
from evaltui.store import acts, cases, places, runs
from evaltui.store.codec import decode
from evaltui.store.connection import BUSY_S, Database, connect, file_lock, open_database
from evaltui.store.records import CachedAnswer, CaseRecord, Intent, Mark, MarkState, RunRow
from evaltui.store.schema import case_range
from evaltui.store.writer import Writer


def open_store(
    path: Path,
    clock: Clock,
    *,
    create: bool = True,
    read_only: bool = False,
    busy_s: float = BUSY_S,
) -> Store:
    """Open the store at ``path``; a new one is made there when ``create`` allows.

    A store that cannot be written is opened read-only. ``busy_s`` bounds the wait for other
    processes.

    Raises:
        StoreError: missing, damaged, locked, foreign, or newer than this program.
    """
    return Store(open_database(path, create=create, read_only=read_only, busy_s=busy_s), clock)


class Store:
    """Reads and small writes of one process. Every method raises StoreError when the file fails."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._fresh: dict[str, CachedAnswer] = {}

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return self._database.read_only

    def kept(self, path: str) -> str:
        """What to write into the store for a path: relative to the store's own project."""
        return places.kept(self.path, path)

    def found(self, text: str) -> str:
        """The path that ``kept`` wrote down, where the project is now."""
        return places.found(self.path, text)

    def close(self) -> None:
        """Close the file. Writers are closed by those who asked for them."""
        self._database.close()

    def begin_run(self, run: RunInfo, specs: Sequence[CaseSpec]) -> RunInfo:
        """Store a run with its planned cases and their rows; the answer carries its new label.

        Raises:
            StoreError: the id is taken.
        """
        return runs.begin_run(self._database, run, specs)

    def reopen_run(self, run_id: str) -> RunInfo:
        """Mark a stored run as running again, to resume it."""
        runs.finish_run(self._database, run_id, "running", None, ())
        return self.run(run_id)

    def finish_run(
        self, run_id: str, state: str, finished_at: str | None, problems: Iterable[str] = ()
    ) -> None:
        """Record how a run ended: ``finished`` or ``interrupted``, and what belongs to no case."""
        runs.finish_run(self._database, run_id, state, finished_at, problems)

    def writer(self, run_id: str) -> Writer:
        """Start the thread that stores the results of a run; close it when the run ends.

        Raises:
            StoreError: there is no such run, or the store is read-only.
        """
        if self.read_only:
            raise StoreError("the store is read-only", place=str(self.path))
        number = runs.run_number(self._database, run_id)
        planned = runs.planned(self._database, case_range(number))
        opened = partial(connect, self.path, busy_s=self._database.busy_s)
        return Writer(self.path, number, planned, self._fresh, opened, self._database.still_there)

    def runs(self, limit: int | None = None) -> list[RunRow]:
        """The history, latest first; at most ``limit`` runs."""
        return runs.list_runs(self._database, limit)

    def run(self, reference: str | None = None) -> RunInfo:
        """The run named by a label, an id or the beginning of one; None asks for the latest.

        Raises:
            StoreError: no run, or several, answer to ``reference``.
        """
        return runs.find_run(self._database, reference)

    def counts(self, run_id: str) -> dict[Outcome, int]:
        """Cases by outcome, counted from the rows; planned cases without a result are skipped."""
        return runs.counts(self._database, run_id)

    def summaries(self, run_id: str) -> list[CaseSummary]:
        """One summary per planned case, in case order: position equals index."""
        return cases.summaries(self._database, run_id)

    def record(self, run_id: str, index: int) -> CaseRecord:
        """Everything about one case.

        Raises:
            StoreError: the run has no such case.
        """
        return cases.record(self._database, run_id, index)

    def records(self, run_id: str) -> Iterator[CaseRecord]:
        """Every case of a run in case order, a page at a time in memory."""
        return cases.records(self._database, run_id)

    def durable(
        self, run_id: str, answered: Callable[[CaseRecord], bool] | None = None
    ) -> set[int]:
        """Indices that resuming need not run again (design section 2).

        ``answered`` says of a suspended case whether a person has decided since.
        """
        return cases.durable(self._database, run_id, answered)

    def update_judgements(
        self, run_id: str, changes: Iterable[tuple[int, Judgement, CaseSummary]]
    ) -> None:
        """Replace what cases mean now, all or none; their results stay as they were."""
        cases.update_judgements(self._database, run_id, changes)

    def latest_outputs(
        self,
        suite: str,
        benchmark: str,
        *,
        before: str,
        folder: str | None = None,
        wanted: Collection[str] | None = None,
    ) -> dict[str, tuple[str, str]]:
        """Case id to (run label, tagged JSON) of the newest output in runs older than ``before``.

        ``folder`` tells suites of one relative name apart; ``wanted`` are the cases to look for,
        by default all that ``before`` has of this benchmark. Mock and scripted runs are compared
        among themselves, live and replayed ones with each other.
        """
        return cases.latest_outputs(
            self._database, suite, benchmark, before=before, folder=folder, wanted=wanted
        )

    def cached(self, key: str) -> CachedAnswer | None:
        """The reply kept under ``key``, those of this process included before they are on disk."""
        fresh = self._fresh.get(key)
        if fresh is not None:
            return fresh
        row = self._database.row("SELECT answer FROM answers WHERE key = ?", (key,))
        return None if row is None else decode(CachedAnswer, row[0])

    def exclusive(self) -> AbstractContextManager[None]:
        """Hold while committing or repairing an act: no other process does so meanwhile.

        Raises:
            StoreError: another process keeps it for more than the busy time.
        """
        return file_lock(
            self.path.with_name(self.path.name + ".lock"), busy_s=self._database.busy_s
        )

    def log_intent(self, intent_id: str, content: str) -> Intent:
        """Write down an act before its first file is touched; on disk when this returns."""
        intent = Intent(intent_id, self._clock.stamp(), content)
        acts.log_intent(self._database, intent)
        return intent

    def finish_intent(self, intent_id: str, state: str = "done") -> None:
        """Close an intent as ``done`` or ``restored``."""
        acts.finish_intent(self._database, intent_id, state)

    def open_intents(self) -> list[Intent]:
        """Acts that were begun and never closed, oldest first."""
        return acts.open_intents(self._database)

    def push_mark(self, project: str, content: str) -> Mark:
        """Put an act on the undo stack of ``project``; redoing earlier ones ends there."""
        return acts.push_mark(self._database, project, self._clock.stamp(), content)

    def set_mark(self, number: int, state: MarkState, content: str | None = None) -> Mark:
        """Move an act on the stack, with new content where undoing or redoing changed it."""
        return acts.set_mark(self._database, number, state, content)

    def last_done(self, project: str) -> Mark | None:
        """What undo would take back."""
        return acts.last_done(self._database, project)

    def next_undone(self, project: str) -> Mark | None:
        """What redo would bring back."""
        return acts.next_undone(self._database, project)
