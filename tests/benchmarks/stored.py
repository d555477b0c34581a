"""Opening, sorting and filtering a stored run of 100,000 cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaltui.clock import system_clock
from evaltui.models import CaseSummary
from evaltui.project import store_path
from evaltui.review.filtering import parse_filter
from evaltui.review.view import RowView
from evaltui.store import open_store
from tests.benchmarks.harness import Line, Terminal, median_of, project, run, seconds

CASES = 100_000


def lines() -> Iterator[Line]:
    with project(CASES) as folder:
        run("run", "trivial.ulx", "--mock", "--ci", "--no-cache", cwd=folder)
        rows: list[CaseSummary] = []
        taken = median_of(lambda: rows.__setitem__(slice(None), _summaries(folder)), 3)
        yield Line("open a stored run of 100,000, inside", taken, "s", 0.3)
        painted = sorted(_painted(folder) for _ in range(3))[1]
        yield Line("the same from the shell, to first paint", painted, "s", 0.8)
    view = RowView(rows)
    floor = seconds(lambda: sorted(rows, key=lambda row: row.case_id, reverse=True))
    taken = median_of(lambda: view.sort_by("case", descending=True), 3)
    yield Line("sort 100,000 rows", taken, "s", 0.15, floor, "sorted()")
    predicate = parse_filter("case-09").predicate
    floor = seconds(lambda: [row for row in rows if "case-09" in row.case_id])
    taken = median_of(lambda: view.filter_by(predicate), 3)
    yield Line("filter 100,000 rows", taken, "s", 0.05, floor, "a loop")


def _summaries(folder: Path) -> list[CaseSummary]:
    with open_store(store_path(folder), system_clock()) as store:
        return store.summaries(store.run(None).id)


def _painted(folder: Path) -> float:
    with Terminal("review", cwd=folder) as terminal:
        return terminal.until("case-0000")
