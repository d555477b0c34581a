"""Stored runs for commands: which run, which case, and the view that reports take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from evaltui.errors import StoreError, UsageError
from evaltui.models import CaseSummary, Outcome, RunInfo

if TYPE_CHECKING:
    from evaltui.engine.project import Project
    from evaltui.reports.view import ReportedCase, RunView
    from evaltui.review.session import Session
    from evaltui.store.store import Store

_RUN = re.compile(r"r[0-9]+|[0-9a-f]{6,}")


class Stored(Struct, frozen=True):
    """A project with its open store."""

    project: Project
    store: Store

    def run(self, reference: str | None) -> RunInfo:
        """The run that ``reference`` names; None is the latest.

        Raises:
            StoreError: there is none.
        """
        return self.store.run(reference)

    def run_and_words(
        self, reference: str | None, words: Sequence[str]
    ) -> tuple[RunInfo, list[str]]:
        """The run, and the words that do not name it: ``show r12 CASE`` is ``show CASE --run r12``.

        Raises:
            StoreError: there is no such run.
        """
        if reference is None and words and _RUN.fullmatch(words[0]):
            try:
                return self.store.run(words[0]), list(words[1:])
            except StoreError:
                if words[0].startswith("r"):
                    raise
        return self.store.run(reference), list(words)


@contextmanager
def opened(folder: Path, store: str | None, *, read_only: bool = True) -> Iterator[Stored]:
    """Open the store of the project around ``folder``.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    from evaltui.clock import system_clock
    from evaltui.engine.project import open_project
    from evaltui.store.store import open_store

    project = open_project(folder, store)
    with open_store(project.store, system_clock(), create=False, read_only=read_only) as found:
        try:
            yield Stored(project, found)
        except StoreError as error:
            error.place = error.place or str(project.store)
            raise


def find_case(run: RunInfo, rows: Sequence[CaseSummary], text: str) -> CaseSummary:
    """The case with this id, or ``BENCHMARK:ID`` or ``SUITE:BENCHMARK:ID`` where ids repeat.

    Raises:
        UsageError: there is none, or there are several.
    """
    exact = [row for row in rows if row.case_id == text]
    found = exact or [row for row in rows if text in _names(run, row)]
    if len(found) == 1:
        return found[0]
    if not found:
        import difflib

        near = difflib.get_close_matches(text, [row.case_id for row in rows], 1)
        hint = f"did you mean {near[0]}?" if near else f"see evaltui show {run.label}"
        raise UsageError(f"run {run.label} has no case {text!r}", hint=hint)
    names = ", ".join(_names(run, row)[-1] for row in found)
    raise UsageError(f"{text!r} names {len(found)} cases", hint=f"write one of {names}")


def _names(run: RunInfo, row: CaseSummary) -> tuple[str, str]:
    section = run.sections[row.section]
    short = f"{section.benchmark}:{row.case_id}"
    return short, f"{section.suite}:{short}"


def view_of_stored(stored: Stored, run: RunInfo) -> RunView:
    """A stored run as reports see it, judged as it was when it was stored."""
    from evaltui.reports.view import RunView
    from evaltui.review.gates import evaluate_gates

    rows = stored.store.summaries(run.id)
    gates = evaluate_gates(run, rows, stored.project.policy)
    return RunView(
        run,
        rows,
        gates.exit_code,
        gates.gates,
        gates.lines,
        gates.incomplete,
        _by_policy(stored.store, run, rows),
        lambda: _details(stored.store, run, rows),
    )


def view_of_session(session: Session) -> RunView:
    """A run under review as reports see it, by the decisions of today."""
    from evaltui.reports.view import RunView

    gates = session.gate_report()
    rows = list(session.rows)
    return RunView(
        replace(session.run, clock=session.clock.fixed or session.run.clock),
        rows,
        gates.exit_code,
        gates.gates,
        gates.lines,
        gates.incomplete,
        _by_policy(session.store, session.run, rows),
        lambda: _details(session.store, session.run, rows),
    )


def _by_policy(store: Store, run: RunInfo, rows: Sequence[CaseSummary]) -> dict[int, Outcome]:
    """The outcomes by the policy alone of cases that pass by a widening."""
    tolerated = [row.index for row in rows if "tolerated" in row.badges]
    alone = {index: store.record(run.id, index).judgement.without_decisions for index in tolerated}
    return {index: Outcome(outcome) for index, outcome in alone.items() if outcome is not None}


def _details(store: Store, run: RunInfo, rows: Sequence[CaseSummary]) -> Iterator[ReportedCase]:
    from evaltui.reports.view import ReportedCase

    for row, record in zip(rows, store.records(run.id), strict=False):
        yield ReportedCase(row, record.spec, record.result, record.judgement)
