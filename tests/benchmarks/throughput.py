"""Many trivial cases: the whole way from the suite to the committed result, start excluded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.harness import Line, Terminal, forget, median_of, project, run, seconds

ROW_BYTES = 1_000


def lines() -> Iterator[Line]:
    for cases, budget, times in ((2_000, 1.0, 3), (20_000, 5.0, 3)):
        with project(cases) as folder:
            start = median_of(lambda f=folder: _headless(f, 1), 3)  # type: ignore[misc]
            taken = median_of(lambda f=folder: _headless(f, None), times) - start  # type: ignore[misc]
            floor = seconds(lambda f=folder, n=cases: _rows_alone(f, n))  # type: ignore[misc]
            what = f"{cases:,} trivial cases, headless"
            yield Line(what, taken, "s", budget, floor, "SQLite, 1 KB a row")
            opened = _live(folder, 1)
            live = sorted(_live(folder, None) - opened for _ in range(times))[times // 2]
            what = f"{cases:,} trivial cases, live table"
            yield Line(what, live, "s", 1.1 * budget, taken, "headless")


def _headless(folder: Path, limit: int | None) -> None:
    forget(folder)
    run(*_command(limit), "--ci", cwd=folder)


def _live(folder: Path, limit: int | None) -> float:
    forget(folder)
    with Terminal(*_command(limit), cwd=folder) as terminal:
        return terminal.until("mock  finished")


def _command(limit: int | None) -> list[str]:
    some = [] if limit is None else ["--limit", str(limit)]
    return ["run", "trivial.ulx", "--mock", "--no-cache", *some]


def _rows_alone(folder: Path, cases: int) -> None:
    connection = sqlite3.connect(folder / "floor.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE rows (n INTEGER, body TEXT)")
    connection.executemany(
        "INSERT INTO rows VALUES (?, ?)", ((n, "x" * ROW_BYTES) for n in range(cases))
    )
    connection.commit()
    connection.close()
