"""The writer thread of a process: results go in one by one, transactions come out.

Callers encode, the thread writes. It sends many rows in one statement: SQLite releases the
interpreter lock at every step, and a thread that must win it back for each row starves while the
runner computes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from evaltui.errors import StoreError
from evaltui.models import CaseResult, CaseSpec, CaseSummary, Judgement
from evaltui.store.codec import encode, pack, storable
from evaltui.store.connection import store_error, transaction
from evaltui.store.records import CachedAnswer
from evaltui.store.runs import spec_values
from evaltui.store.schema import case_key

BATCH = 1000
"""Entries that are committed without waiting for more."""
INTERVAL_S = 0.05
"""The longest an entry waits for company."""
LIMIT = 5000
"""Entries in memory; beyond it ``put`` waits."""
LIMIT_CHARACTERS = 64_000_000
"""Text in memory; beyond it ``put`` waits."""
_STATEMENT_ROWS = 250


class _Case(NamedTuple):
    key: int
    summary: CaseSummary
    summary_text: str
    result: str
    judgement: str
    spec: CaseSpec | None


class _Answer(NamedTuple):
    key: str
    answer: str


_Entry = _Case | _Answer


class Writer:
    """Stores the results of one run.

    ``put`` and ``cache`` return at once unless the buffer is full. An error of the thread is raised
    as StoreError by the next call; everything committed before it is kept.

    ``run`` is the run's number, ``planned`` how many cases it began with; ``fresh`` holds answers
    until they are committed; ``connect`` is called in the thread; ``still_there`` raises when the
    file was taken away.
    """

    def __init__(
        self,
        path: Path,
        run: int,
        planned: int,
        fresh: MutableMapping[str, CachedAnswer],
        connect: Callable[[], sqlite3.Connection],
        still_there: Callable[[], None],
    ) -> None:
        self._path = path
        self._connect = connect
        self._still_there = still_there
        self._run = run
        self._planned = planned
        self._fresh = fresh
        self._changed = threading.Condition(threading.Lock())
        self._pending: list[_Entry] = []
        self._characters = 0
        self._entries = 0
        self._submitted = 0
        self._committed = 0
        self._hurried = False
        self._closing = False
        self._failure: StoreError | None = None
        self._thread = threading.Thread(target=self._work, name="store writer", daemon=True)
        self._thread.start()

    def put(
        self, spec: CaseSpec, result: CaseResult, judgement: Judgement, summary: CaseSummary
    ) -> None:
        """Store a finished case, in place of an earlier result of the same index.

        Raises:
            StoreError: the thread could not write.
        """
        texts = encode(summary), encode(result), encode(judgement)
        unplanned = spec if spec.index >= self._planned else None
        key = case_key(self._run, spec.index)
        self._submit(_Case(key, summary, *texts, unplanned), sum(map(len, texts)))

    def cache(self, key: str, answer: CachedAnswer) -> None:
        """Keep a reply for later runs.

        Raises:
            StoreError: the thread could not write.
        """
        text = encode(answer)
        self._fresh[key] = answer
        self._submit(_Answer(key, text), len(text))

    @property
    def submitted(self) -> int:
        """How many entries were handed over; ``committed`` reaches this once all are on disk."""
        return self._submitted

    @property
    def committed(self) -> int:
        """How many entries are committed, the first ones first."""
        return self._committed

    def flush(self) -> None:
        """Wait until everything handed over is committed.

        Raises:
            StoreError: it could not be.
        """
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._entries == 0 or self._failure is not None)
            self._raise_failure()

    def close(self) -> None:
        """Commit what is left and end the thread.

        Raises:
            StoreError: it could not be committed.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        self._raise_failure()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _submit(self, entry: _Entry, characters: int) -> None:
        with self._changed:
            while self._full() and self._failure is None:
                self._hurried = True
                self._changed.notify_all()
                self._changed.wait()
            self._raise_failure()
            if self._closing:
                raise StoreError("the writer is closed", place=str(self._path))
            self._pending.append(entry)
            self._entries += 1
            self._submitted += 1
            self._characters += characters
            if len(self._pending) in (1, BATCH):
                self._changed.notify_all()

    def _full(self) -> bool:
        return self._entries >= LIMIT or self._characters >= LIMIT_CHARACTERS

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        try:
            with closing(self._connect()) as connection:
                while batch := self._next_batch():
                    self._still_there()
                    with transaction(connection):
                        _write(connection, self._run, batch)
                    self._still_there()
                    self._done(batch)
        except Exception as error:
            self._fail(error)

    def _next_batch(self) -> list[_Entry]:
        """What is to be committed next; empty when the writer was closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._closing)
            self._changed.wait_for(self._due, timeout=INTERVAL_S)
            batch, self._pending = self._pending, []
            return batch

    def _due(self) -> bool:
        return self._hurried or self._closing or len(self._pending) >= BATCH

    def _done(self, batch: list[_Entry]) -> None:
        for entry in batch:
            if isinstance(entry, _Answer):
                self._fresh.pop(entry.key, None)
        with self._changed:
            self._entries -= len(batch)
            self._committed += len(batch)
            self._characters -= sum(map(_characters, batch))
            self._hurried = self._hurried and self._entries > 0
            self._changed.notify_all()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, StoreError):
            failure = error
        elif isinstance(error, sqlite3.Error):
            failure = store_error(self._path, error)
        else:
            failure = StoreError(f"the store failed ({error})", place=str(self._path))
        failure.__cause__ = error
        with self._changed:
            self._failure = failure
            self._changed.notify_all()


def _characters(entry: _Entry) -> int:
    if isinstance(entry, _Case):
        return len(entry.summary_text) + len(entry.result) + len(entry.judgement)
    return len(entry.answer)


def _write(connection: sqlite3.Connection, run: int, batch: list[_Entry]) -> None:
    cases = [entry for entry in batch if isinstance(entry, _Case)]
    late = [entry.spec for entry in cases if entry.spec is not None]
    _replace(connection, "specs", 5, [spec_values(run, spec) for spec in late])
    _replace(connection, "rows", 2, [(spec.row_digest, storable(spec.row)) for spec in late])
    _replace(
        connection,
        "cases",
        4,
        [(c.key, c.summary.outcome, c.summary.failure_class, c.summary.red) for c in cases],
    )
    _replace(connection, "summaries", 2, [(c.key, c.summary_text) for c in cases])
    details = [(c.key, pack(c.result), pack(c.judgement)) for c in cases]
    _replace(connection, "details", 3, details)
    answers = [(entry.key, entry.answer) for entry in batch if isinstance(entry, _Answer)]
    _replace(connection, "answers", 2, answers)


def _replace(
    connection: sqlite3.Connection, table: str, columns: int, rows: Sequence[tuple[object, ...]]
) -> None:
    values = f"({', '.join('?' * columns)})"
    for part in _parts(rows):
        sql = f"REPLACE INTO {table} VALUES {', '.join([values] * len(part))}"
        connection.execute(sql, list(chain.from_iterable(part)))


def _parts(rows: Sequence[tuple[object, ...]]) -> Iterable[Sequence[tuple[object, ...]]]:
    return (rows[i : i + _STATEMENT_ROWS] for i in range(0, len(rows), _STATEMENT_ROWS))
