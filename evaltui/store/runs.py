"""Runs and their sections: what is asked of the history."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from evaltui.errors import StoreError
from evaltui.models import CaseSpec, Mode, Outcome, RunInfo, Section
from evaltui.store import places
from evaltui.store.codec import decode, encode, storable
from evaltui.store.connection import Database, Row
from evaltui.store.records import RunRow
from evaltui.store.schema import case_key, case_range

_SECTION = "run, number, kind, suite, folder, benchmark, suite_digest, dataset_digest, cases"
_RUN = "number, label, state, pid, finished_at, problems, info"


def begin_run(database: Database, run: RunInfo, specs: Sequence[CaseSpec]) -> RunInfo:
    """Store a run before its first case, under the next free label.

    Raises:
        StoreError: the id is taken, or the store cannot be written.
    """
    with database.writing() as connection:
        if connection.execute("SELECT 1 FROM runs WHERE id = ?", (run.id,)).fetchone():
            raise StoreError(f"run {run.id} exists already", place=str(database.path))
        number = connection.execute(
            "UPDATE counters SET value = value + 1 WHERE name = 'run' RETURNING value"
        ).fetchone()[0]
        run = replace(run, label=f"r{number}")
        connection.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                run.id,
                run.label,
                run.started_at,
                run.finished_at,
                run.state,
                os.getpid(),
                encode(run.problems),
                encode(_kept(database, run)),
            ),
        )
        connection.executemany(
            f"INSERT INTO sections ({_SECTION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_section_values(database, number, section) for section in run.sections],
        )
        connection.executemany(
            "INSERT OR IGNORE INTO rows VALUES (?, ?)",
            sorted({spec.row_digest: storable(spec.row) for spec in specs}.items()),
        )
        connection.executemany(
            "INSERT INTO specs VALUES (?, ?, ?, ?, ?)",
            [spec_values(number, spec) for spec in specs],
        )
    return run


def _kept(database: Database, run: RunInfo) -> RunInfo:
    root = places.kept(database.path, run.project_root)
    return replace(run, sections=(), project_root=root)


def spec_values(run: int, spec: CaseSpec) -> tuple[object, ...]:
    """The row of ``specs`` for a case."""
    slices = encode(spec.slices) if spec.slices else None
    key = case_key(run, spec.index)
    return key, spec.section, storable(spec.case_id), spec.row_digest, slices


def finish_run(
    database: Database, run_id: str, state: str, finished_at: str | None, problems: Iterable[str]
) -> None:
    """Record how a run ended; ``finished_at`` is None for a run that goes on."""
    number = run_number(database, run_id)
    with database.writing() as connection:
        connection.execute(
            "UPDATE runs SET state = ?, pid = ?, finished_at = ?, problems = ? WHERE number = ?",
            (state, os.getpid(), finished_at, encode(tuple(problems)), number),
        )


def run_number(database: Database, run_id: str) -> int:
    """The number of the run with exactly this id.

    Raises:
        StoreError: there is none.
    """
    found = database.row("SELECT number FROM runs WHERE id = ?", (run_id,))
    if found is None:
        raise StoreError(f"no run {run_id}", place=str(database.path))
    return int(found[0])


def find_run(database: Database, reference: str | None) -> RunInfo:
    """The run that a label, an id or a unique beginning of an id names.

    None asks for the latest; imported ones are older than all that were run here.

    Raises:
        StoreError: there is no such run, or several.
    """
    if reference is None:
        found = database.rows(
            f"SELECT {_RUN} FROM runs"
            " ORDER BY CASE WHEN json_valid(info) THEN json_extract(info, '$.imported') END"
            " IS NOT NULL, number DESC LIMIT 1"
        )
    else:
        found = database.rows(
            f"SELECT {_RUN} FROM runs WHERE label = ?1 OR id = ?1", (reference,)
        ) or database.rows(
            f"SELECT {_RUN} FROM runs WHERE length(?1) > 0 AND substr(id, 1, length(?1)) = ?1"
            " ORDER BY number",
            (reference,),
        )
    if len(found) != 1:
        raise _not_one(database, reference, [row[1] for row in found])
    return _info(database, found[0])


def _not_one(database: Database, reference: str | None, labels: list[str]) -> StoreError:
    place = str(database.path)
    if labels:
        hint = f"it begins the ids of {', '.join(labels[:5])}"
        return StoreError(f"{reference!r} names several runs", place=place, hint=hint)
    if reference is None:
        return StoreError("no run is stored yet", place=place, hint="run a suite first")
    return StoreError(f"no run {reference!r}", place=place, hint="list them: evaltui runs list")


def _info(database: Database, row: Row) -> RunInfo:
    number, label, state, pid, finished_at, problems, info = row
    run = decode(RunInfo, info)
    return replace(
        run,
        project_root=places.found(database.path, run.project_root),
        label=label,
        state=_state(state, pid),
        finished_at=finished_at,
        problems=decode(tuple[str, ...], problems),
        sections=tuple(_sections(database, number)),
    )


def _state(state: str, pid: int) -> str:
    """A run whose process is gone without having said so was interrupted."""
    return "interrupted" if state == "running" and not _alive(pid) else state


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _section_values(database: Database, run: int, section: Section) -> tuple[object, ...]:
    return (
        run,
        section.number,
        section.kind,
        storable(section.suite),
        storable(places.kept(database.path, section.folder)),
        storable(section.benchmark),
        section.suite_digest,
        section.dataset_digest,
        section.cases,
    )


def _sections(database: Database, run: int) -> list[Section]:
    rows = database.rows(f"SELECT {_SECTION} FROM sections WHERE run = ? ORDER BY number", (run,))
    sections = [Section(*row[1:]) for row in rows]
    return [replace(one, folder=places.found(database.path, one.folder)) for one in sections]


def list_runs(database: Database, limit: int | None) -> list[RunRow]:
    """The latest ``limit`` runs, all without one; latest first."""
    rows = database.rows(
        f"SELECT {_RUN} FROM runs ORDER BY number DESC LIMIT ?", (-1 if limit is None else limit,)
    )
    oldest = rows[-1][0] if rows else 0
    names: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for run, suite, benchmark in database.rows(
        "SELECT run, suite, benchmark FROM sections WHERE run >= ? ORDER BY run, number", (oldest,)
    ):
        names[run].append((suite, benchmark))
    counted = _counts_since(database, oldest)
    totals: dict[int, int] = dict(
        database.rows(
            "SELECT key >> 32, count(*) FROM specs WHERE key >= ? GROUP BY 1",
            (case_key(oldest, 0),),
        )
    )
    return [_run_row(row, names[row[0]], counted[row[0]], totals.get(row[0], 0)) for row in rows]


def _counts_since(database: Database, run: int) -> dict[int, list[tuple[str, int, int]]]:
    counted: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    sql = "SELECT key >> 32, outcome, count(*), sum(red) FROM cases WHERE key >= ? GROUP BY 1, 2"
    for number, outcome, count, red in database.rows(sql, (case_key(run, 0),)):
        counted[number].append((outcome, count, red))
    return counted


def _run_row(
    row: Row, names: list[tuple[str, str]], counted: list[tuple[str, int, int]], total: int
) -> RunRow:
    _, label, state, pid, finished_at, _, info = row
    run = decode(RunInfo, info)
    return RunRow(
        id=run.id,
        label=label,
        started_at=run.started_at,
        finished_at=finished_at,
        state=_state(state, pid),
        mode=Mode(run.mode),
        instrument=run.instrument,
        policy_digest=run.policy_digest,
        parent=run.parent,
        suites=tuple(dict.fromkeys(suite for suite, _ in names)),
        benchmarks=tuple(dict.fromkeys(benchmark for _, benchmark in names)),
        total=total,
        counts=with_unrun({Outcome(name): count for name, count, _ in counted}, total),
        red=sum(red for _, _, red in counted),
        imported=run.imported,
    )


def with_unrun(counts: dict[Outcome, int], total: int) -> dict[Outcome, int]:
    """``counts`` with the planned cases that have no result counted as skipped."""
    unrun = total - sum(counts.values())
    if unrun > 0:
        counts[Outcome.SKIPPED] = counts.get(Outcome.SKIPPED, 0) + unrun
    return counts


def counts(database: Database, run_id: str) -> dict[Outcome, int]:
    """Cases by outcome, counted from the rows."""
    bounds = case_range(run_number(database, run_id))
    found = database.rows(
        "SELECT outcome, count(*) FROM cases WHERE key BETWEEN ? AND ? GROUP BY 1", bounds
    )
    return with_unrun({Outcome(name): count for name, count in found}, planned(database, bounds))


def planned(database: Database, bounds: tuple[int, int]) -> int:
    """How many cases the run with these key bounds has, run or not."""
    return database.number("SELECT count(*) FROM specs WHERE key BETWEEN ? AND ?", bounds)
