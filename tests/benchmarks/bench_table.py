"""How quick the case table is: run with ``python tests/benchmarks/bench_table.py [SECONDS]``.

Prints opening, sorting and filtering at 100,000 and 1,000,000 rows, how fast a buffer of rows is
drained, and how long a key waits while 5,000 rows a second arrive.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path, PurePath
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult

from evaltui.clock import Ids, system_clock
from evaltui.collector import calm_collector
from evaltui.engine.pipe import Batch, Message, Started
from evaltui.models import CaseSummary, Mode, Outcome, RunInfo, Section
from evaltui.project import Policy
from evaltui.review.filtering import parse_filter
from evaltui.review.live import LiveRun
from evaltui.review.session import Session
from evaltui.review.view import RowView
from evaltui.screens.app import EvaltuiApp
from evaltui.screens.bench import Bench
from evaltui.screens.run import RunScreen
from evaltui.screens.table import CaseTable
from evaltui.screens.theme import DARK
from evaltui.store.store import open_store

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


class TableApp(App[None]):
    """The table alone."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "../../styles/theme.tcss",
        "../../styles/table.tcss",
    ]

    def __init__(self, rows: list[CaseSummary]) -> None:
        super().__init__()
        self.table = CaseTable(RowView(rows))

    def compose(self) -> ComposeResult:
        yield self.table

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.table.focus()


class RowFeed:
    """The near end of a runner that sends rows at a fixed rate."""

    last_words = ""

    def __init__(self, run: RunInfo, rows: list[CaseSummary]) -> None:
        self._run = run
        self._rows = rows
        self._began = 0.0
        self._sent = -1

    def drain(self) -> list[Message]:
        """All rows that are due."""
        if self._sent < 0:
            self._sent, self._began = 0, time.perf_counter()
            return [Started(self._run, len(self._rows))]
        due = min(int((time.perf_counter() - self._began) * RATE), len(self._rows))
        rows = tuple(self._rows[self._sent : due])
        self._sent = due
        return [Batch(self._run.id, rows, due, 64, due, 0, 0, Decimal(0), 0.0)]

    def poll(self) -> int | None:
        return None

    def rerun(self, indices: Sequence[int]) -> None:
        """Nothing can be run again here."""

    def stop(self) -> None:
        """It goes on until the measurement ends."""


class TimedScreenApp(EvaltuiApp):
    """The real app; notes when keys were handled and painted."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.sent: deque[float] = deque()
        self.handled: list[float] = []
        self.painted: list[float] = []

    def on_case_table_cursor_moved(self) -> None:
        if self.sent:
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
    """Press ``key`` every 90 ms on the run screen while rows arrive on top of ``count`` rows."""
    with tempfile.TemporaryDirectory() as folder:
        clock = system_clock({})
        section = Section(0, "ulexite", "suite.ulx", folder, "Bench", "", "", count)
        with open_store(Path(folder) / "trace.db", clock) as store:
            run = store.begin_run(
                RunInfo("bench", "", clock.stamp(), Mode.MOCK, "mock", "", (section,), (), folder),
                (),
            )
            session = Session.open(store, run.id, Policy(), clock, Ids(), live=True)
            feed = RowFeed(run, summaries(count, int(RATE * seconds) + RATE))
            live = LiveRun(feed, lambda: time.monotonic() * 1000)
            app = TimedScreenApp(Bench(live=live, open_session=lambda _: session))
            await pressed(app, session, summaries(0, count), seconds, key)


async def pressed(
    app: TimedScreenApp, session: Session, rows: list[CaseSummary], seconds: float, key: str
) -> None:
    stop = threading.Event()

    def press() -> None:
        while not stop.wait(0.09):
            app.sent.append(time.perf_counter())
            app.post_message(events.Key(key, None))

    async with app.run_test(size=(160, 50)) as pilot:
        session.receive(rows)
        screen = app.screen_stack[0]
        assert isinstance(screen, RunScreen)
        screen.table.receive(rows)
        await pilot.pause()
        screen.table.following = False
        screen.table.move_to(len(rows) // 2)
        await pilot.pause()
        thread = threading.Thread(target=press)
        thread.start()
        await asyncio.sleep(seconds)
        stop.set()
        thread.join()
        await pilot.pause()
        shown = screen.bench.desk.view.total - len(rows)
        print(
            f"  {len(rows):>9,} rows, {shown / seconds:,.0f} rows/s, {key:<9}"
            f" handled p95 {p95(app.handled):5.1f} ms   painted p95 {p95(app.painted):5.1f} ms"
        )


async def drained(count: int) -> None:
    """Rows a second when the producer never waits."""
    app = TableApp([])
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
    app = TableApp(rows)
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
    calm_collector()
    asyncio.run(drained(200_000))
    for count, key in ((100_000, "down"), (100_000, "pagedown"), (1_000_000, "down")):
        asyncio.run(stream(count, seconds, key))


if __name__ == "__main__":
    main()
