"""How quick the case table is: run with ``python tests/benchmarks/bench_table.py [SECONDS]``.

Prints opening, sorting and filtering at 100,000 and 1,000,000 rows, how fast a buffer of rows is
drained, and how long a key waits while 5,000 rows a second arrive.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from pathlib import PurePath
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from evaltui.models import CaseSummary, Outcome
from evaltui.review.filtering import parse_filter
from evaltui.review.view import RowView
from evaltui.screens.table import CaseTable
from evaltui.screens.theme import DARK

RATE = 5_000


def summary(index: int, chance: random.Random) -> CaseSummary:
    outcome = chance.choice(list(Outcome))
    return CaseSummary(
        index,
        0,
        f"case-{index:07}",
        outcome,
        ("lang=fr", "severity=high"),
        check="assert#1" if outcome is Outcome.FAIL else "",
        message=f"the answer to question {index} is too long",
        change="91% alike" if index % 2 else "+0.03",
        latency_ms=chance.random() * 1000,
        cost=Decimal("0.0012"),
        red=outcome in (Outcome.FAIL, Outcome.ERROR),
    )


def summaries(start: int, count: int) -> list[CaseSummary]:
    chance = random.Random(start)
    return [summary(index, chance) for index in range(start, start + count)]


class BenchApp(App[None]):
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "../../styles/theme.tcss",
        "../../styles/table.tcss",
    ]
    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "down"), Binding("pagedown", "page")]

    def __init__(self, rows: list[CaseSummary]) -> None:
        super().__init__()
        self.table = CaseTable(RowView(rows))
        self.buffer: deque[CaseSummary] = deque()
        self.sent: deque[float] = deque()
        self.handled: list[float] = []
        self.painted: list[float] = []
        self.flushes: list[float] = []

    def compose(self) -> ComposeResult:
        yield self.table

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.table.focus()
        self.set_interval(0.05, self.drain)

    def drain(self) -> None:
        rows = [self.buffer.popleft() for _ in range(len(self.buffer))]
        if rows:
            began = time.perf_counter()
            self.table.receive(rows)
            self.flushes.append(time.perf_counter() - began)

    def action_down(self) -> None:
        self.table.move_by(1)
        self._note()

    def action_page(self) -> None:
        self.table.page(1)
        self._note()

    def _note(self) -> None:
        began = self.sent.popleft()
        self.handled.append(time.perf_counter() - began)
        self.call_after_refresh(lambda: self.painted.append(time.perf_counter() - began))


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] * 1000


def timed(label: str, act: Callable[[], object]) -> None:
    began = time.perf_counter()
    act()
    print(f"  {label:<28} {(time.perf_counter() - began) * 1000:9.1f} ms")


async def stream(count: int, seconds: float, key: str) -> None:
    """Press ``key`` every 90 ms while rows arrive on top of ``count`` rows."""
    arriving = summaries(count, int(RATE * seconds) + RATE)
    app = BenchApp(summaries(0, count))
    stop = threading.Event()

    def produce() -> None:
        began, sent = time.perf_counter(), 0
        while not stop.wait(0.004):
            due = min(int((time.perf_counter() - began) * RATE), len(arriving))
            app.buffer.extend(arriving[sent:due])
            sent = due

    def press() -> None:
        while not stop.wait(0.09):
            app.sent.append(time.perf_counter())
            app.post_message(events.Key(key, None))

    async with app.run_test(size=(160, 50)):
        app.table.move_to(count // 2)
        threads = [threading.Thread(target=act) for act in (produce, press)]
        for thread in threads:
            thread.start()
        await asyncio.sleep(seconds)
        stop.set()
        for thread in threads:
            thread.join()
        print(
            f"  {count:>9,} rows, {RATE:,} rows/s, {key:<9} handled p95 {p95(app.handled):5.1f} ms"
            f"   painted p95 {p95(app.painted):5.1f} ms   flush p95 {p95(app.flushes):5.1f} ms"
        )


async def drained(count: int) -> None:
    """Rows a second when the producer never waits."""
    app = BenchApp([])
    rows = summaries(0, count)
    async with app.run_test(size=(160, 50)) as pilot:
        began = time.perf_counter()
        for start in range(0, count, 10_000):
            app.table.receive(rows[start : start + 10_000])
            await pilot.pause(0)
        print(f"  drained {count / (time.perf_counter() - began):,.0f} rows/s, painting each flush")


async def opening(count: int) -> None:
    rows = summaries(0, count)
    began = time.perf_counter()
    app = BenchApp(rows)
    built = time.perf_counter()
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.pause(0)
        view = app.table.source
        assert isinstance(view, RowView)
        print(f"{count:,} rows")
        print(f"  {'open (rows to view)':<28} {(built - began) * 1000:9.1f} ms")
        timed("first paint", app.table.refresh)
        for column in ("case", "latency", "change"):
            timed(f"sort by {column}", lambda c=column: view.sort_by(c))  # type: ignore[misc]
        view.sort_by(None)
        for text in ("outcome:fail", "question 77", "slice:fr !outcome:pass"):
            chosen = parse_filter(text).predicate
            timed(f"filter {text}", lambda c=chosen: view.filter_by(c))  # type: ignore[misc]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    for count in (100_000, 1_000_000):
        asyncio.run(opening(count))
    print("streaming")
    asyncio.run(drained(200_000))
    for count, key in ((100_000, "down"), (100_000, "pagedown"), (1_000_000, "down")):
        asyncio.run(stream(count, seconds, key))


if __name__ == "__main__":
    main()
