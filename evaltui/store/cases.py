"""Cases of a run: summaries for the table, records for one case, outputs of earlier runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

import msgspec

from evaltui.errors import StoreError
from evaltui.models import (
    CaseResult,
    CaseSpec,
    CaseSummary,
    FailureClass,
    Judgement,
    Mode,
    Outcome,
)
from evaltui.store import places
from evaltui.store.codec import decode, decode_all, encode, pack
from evaltui.store.connection import Database, Row
from evaltui.store.records import NOT_RUN, CaseRecord
from evaltui.store.runs import find_run, planned, run_number
from evaltui.store.schema import case_index, case_key, case_range

_RECORD = """
    SELECT specs.key, specs.section, specs.case_id, specs.row_digest, rows.row, specs.slices,
           details.result, details.judgement
    FROM specs JOIN rows ON rows.digest = specs.row_digest
    LEFT JOIN details ON details.key = specs.key
"""
HISTORY = 50
"""How many earlier runs are searched for a case that the latest ones do not have."""

_PAGE = 200
_ANSWERED = frozenset({Mode.LIVE, Mode.REPLAY})
_COMPARABLE = {
    Mode.LIVE: _ANSWERED,
    Mode.REPLAY: _ANSWERED,
    Mode.MOCK: frozenset({Mode.MOCK}),
    Mode.SCRIPTED: frozenset({Mode.SCRIPTED}),
}
"""Whose outputs may be shown as the old value of whose cases."""


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cycle collector from scanning a growing list again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def summaries(database: Database, run_id: str) -> list[CaseSummary]:
    """One summary per planned case, position equal to index; cases without a result are skipped."""
    bounds = case_range(run_number(database, run_id))
    with _without_collector():
        texts = database.rows(
            "SELECT summary FROM summaries WHERE key BETWEEN ? AND ? ORDER BY key", bounds
        )
        loaded = decode_all(CaseSummary, (text for (text,) in texts))
    complete = len(loaded) >= planned(database, bounds)
    return loaded if complete else _filled(database, bounds, loaded)


def _filled(
    database: Database, bounds: tuple[int, int], loaded: list[CaseSummary]
) -> list[CaseSummary]:
    found = {summary.index: summary for summary in loaded}
    sql = "SELECT key, section, case_id, slices FROM specs WHERE key BETWEEN ? AND ? ORDER BY key"
    return [
        found.get(case_index(key)) or _unrun(case_index(key), section, case_id, slices)
        for key, section, case_id, slices in database.rows(sql, bounds)
    ]


def _unrun(index: int, section: int, case_id: str, slices: str | None) -> CaseSummary:
    return CaseSummary(
        index, section, case_id, Outcome.SKIPPED, slices=_slices(slices), message=NOT_RUN
    )


def _slices(stored: str | None) -> tuple[str, ...]:
    return decode(tuple[str, ...], stored) if stored else ()


def record(database: Database, run_id: str, index: int) -> CaseRecord:
    """Everything about one case.

    Raises:
        StoreError: the run has no such case.
    """
    key = case_key(run_number(database, run_id), index)
    row = database.row(f"{_RECORD} WHERE specs.key = ?", (key,))
    if row is None:
        raise StoreError(f"run {run_id} has no case {index}", place=str(database.path))
    return _record(row)


def records(database: Database, run_id: str) -> Iterator[CaseRecord]:
    """Every case in case order, read page by page."""
    first, last = case_range(run_number(database, run_id))
    sql = f"{_RECORD} WHERE specs.key BETWEEN ? AND ? ORDER BY specs.key LIMIT {_PAGE}"
    while page := database.rows(sql, (first, last)):
        yield from map(_record, page)
        first = page[-1][0] + 1


def _record(row: Row) -> CaseRecord:
    key, section, case_id, row_digest, text, slices, result, judgement = row
    index = case_index(key)
    spec = CaseSpec(index, section, case_id, row_digest, text, _slices(slices))
    if result is None:
        return CaseRecord(spec, CaseResult(index, skipped=NOT_RUN), Judgement(Outcome.SKIPPED))
    return CaseRecord(spec, decode(CaseResult, result), decode(Judgement, judgement))


def durable(
    database: Database, run_id: str, answered: Callable[[CaseRecord], bool] | None
) -> set[int]:
    """The cases that resuming need not run again (design section 2).

    Committed, and neither skipped, nor an infrastructure error, nor suspended with an answer since.
    """
    number = run_number(database, run_id)
    found = database.rows(
        "SELECT key & 0xFFFFFFFF, outcome FROM cases WHERE key BETWEEN ? AND ? AND outcome <> ?"
        " AND NOT (outcome = ? AND failure_class IS ?)",
        (*case_range(number), Outcome.SKIPPED, Outcome.ERROR, FailureClass.INFRASTRUCTURE),
    )
    indices = {index for index, _ in found}
    if answered is None:
        return indices
    suspended = [index for index, outcome in found if outcome == Outcome.SUSPENDED]
    return indices - {i for i in suspended if answered(record(database, run_id, i))}


def update_judgements(
    database: Database, run_id: str, changes: Iterable[tuple[int, Judgement, CaseSummary]]
) -> None:
    """Replace what cases mean, in one transaction; their results stay."""
    number = run_number(database, run_id)
    rows = [(case_key(number, index), judgement, summary) for index, judgement, summary in changes]
    with database.writing() as connection:
        connection.executemany(
            "UPDATE details SET judgement = ? WHERE key = ?",
            [(pack(encode(judgement)), key) for key, judgement, _ in rows],
        )
        connection.executemany(
            "UPDATE summaries SET summary = ? WHERE key = ?",
            [(encode(summary), key) for key, _, summary in rows],
        )
        connection.executemany(
            "UPDATE cases SET outcome = ?, failure_class = ?, red = ? WHERE key = ?",
            [(s.outcome, s.failure_class, s.red, key) for key, _, s in rows],
        )


class _Output(msgspec.Struct):
    """The one member of a stored result that the search for old values reads."""

    output: str | None = None


def latest_outputs(
    database: Database,
    suite: str,
    benchmark: str,
    *,
    before: str,
    folder: str | None,
    wanted: Collection[str] | None,
) -> dict[str, tuple[str, str]]:
    """The latest output of each case in runs older than ``before``: label and tagged JSON.

    Looks for the ``wanted`` cases, else for those that the section of ``before`` has, in the newest
    ``HISTORY`` runs.
    """
    number = run_number(database, before)
    sections = _sections(database, suite, benchmark, folder)
    if wanted is None:
        wanted = _case_ids(database, [pair for pair in sections if pair[0] == number])
    comparable = _COMPARABLE[find_run(database, before).mode]
    missing = set(wanted)
    found: dict[str, tuple[str, str]] = {}
    for run, section in [pair for pair in sections if pair[0] < number][:HISTORY]:
        if not missing:
            break
        label, mode = _label_and_mode(database, run)
        if mode in comparable:
            found |= {k: (label, text) for k, text in _outputs(database, run, section, missing)}
            missing -= found.keys()
    return found


def _sections(
    database: Database, suite: str, benchmark: str, folder: str | None
) -> list[tuple[int, int]]:
    """Run number and section number of a benchmark wherever it ran, latest first."""
    rows = database.rows(
        "SELECT run, number FROM sections WHERE suite = ?1 AND benchmark = ?2"
        " AND (?3 IS NULL OR folder IN (?3, ?4)) ORDER BY run DESC",
        (suite, benchmark, folder, folder and places.kept(database.path, folder)),
    )
    return [(run, number) for run, number in rows]


def _case_ids(database: Database, sections: list[tuple[int, int]]) -> set[str]:
    sql = "SELECT case_id FROM specs WHERE key BETWEEN ? AND ? AND section = ?"
    found: set[str] = set()
    for run, section in sections:
        found.update(text for (text,) in database.rows(sql, (*case_range(run), section)))
    return found


def _label_and_mode(database: Database, run: int) -> tuple[str, Mode]:
    sql = "SELECT label, json_extract(info, '$.mode') FROM runs WHERE number = ?"
    label, mode = database.rows(sql, (run,))[0]
    return label, Mode(mode)


def _outputs(
    database: Database, run: int, section: int, wanted: set[str]
) -> Iterator[tuple[str, str]]:
    rows = database.rows(
        "SELECT case_id, result FROM specs JOIN details USING (key)"
        " WHERE key BETWEEN ? AND ? AND section = ?"
        " AND case_id IN (SELECT value FROM json_each(?))",
        (*case_range(run), section, encode(sorted(wanted))),
    )
    outputs = decode_all(_Output, (result for _, result in rows))
    for (case_id, _), decoded in zip(rows, outputs, strict=True):
        if decoded.output is not None:
            yield case_id, decoded.output
