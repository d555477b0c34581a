"""A run that goes on in a process of its own while the screen shows it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from evaltui.clock import system_clock
from evaltui.engine.child_run import ChildRun
from evaltui.review.live import LiveRun
from evaltui.screens.bench import Bench
from evaltui.tui import session_opener

if TYPE_CHECKING:
    from tests.conftest import UlxProject
    from tests.screens.conftest import Opened, Seen

Watching = AsyncIterator[tuple["Seen", Bench, ChildRun]]


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def scripted(project: UlxProject, delay_ms: int) -> UlxProject:
    """Thirty cases, four at once; every third is unkind."""
    project.rows(*({"id": f"c{i:02}", "text": f"text {i}"} for i in range(30)))
    policy = (project.folder / "evaltui.toml").read_text()
    project.write("evaltui.toml", f"[run]\nconcurrency = 4\n{policy}")
    unkind = [
        {"case": f"c{i:02}", "judge": "Kind", "verdict": "FAIL: rude"} for i in range(2, 30, 3)
    ]
    project.answers(
        {"capability": "chat", "text": "hello", "delay_ms": delay_ms},
        *unkind,
        {"judge": "Kind", "verdict": "PASS"},
    )
    return project


@pytest.fixture
def slow(project: UlxProject) -> UlxProject:
    """Takes some four seconds."""
    return scripted(project, 500)


@pytest.fixture
def quick(project: UlxProject) -> UlxProject:
    """Takes no time."""
    return scripted(project, 0)


@asynccontextmanager
async def watching(project: UlxProject, opened: Opened) -> Watching:
    request = project.request(reviewer="ana")
    child = ChildRun.start(request)
    try:
        live = LiveRun(child, lambda: time.monotonic() * 1000)
        opener = session_opener(request, system_clock({}), project.ids)
        bench = Bench(live=live, open_session=opener)
        async with opened(bench, (100, 30)) as seen:
            yield seen, bench, child
    finally:
        child.close()


async def test_rows_fill_the_table_while_the_cursor_follows(
    slow: UlxProject, opened: Opened
) -> None:
    async with watching(slow, opened) as (seen, bench, _):
        await seen.until(lambda: bench.desk.view.total > 3)
        await seen.settle()
        assert "running" in seen.text().splitlines()[0]
        assert "following the newest" in seen.text()
        await seen.until(lambda: " left" in seen.text())
        await seen.tap("g")
        case, known = seen.run.case_index, bench.desk.view.total
        await seen.until(lambda: bench.desk.view.total > known)
        assert seen.run.case_index == case


async def test_at_the_end_the_cursor_is_on_the_first_red(quick: UlxProject, opened: Opened) -> None:
    async with watching(quick, opened) as (seen, bench, _):
        await seen.until(lambda: not bench.running)
        await seen.settle()
        assert "30/30" in seen.text()
        assert "✗ 10 fail" in seen.text()
        assert "c02" in seen.line("›")
        assert "n next red" in seen.text()


async def test_a_runner_that_dies_leaves_its_rows_and_says_how_to_go_on(
    slow: UlxProject, opened: Opened
) -> None:
    async with watching(slow, opened) as (seen, bench, child):
        await seen.until(lambda: bench.desk.view.total > 3)
        os.kill(child.pid, signal.SIGKILL)
        await seen.until(lambda: bench.live is not None and bench.live.state == "died")
        await seen.settle()
        kept = bench.desk.view.total
        assert f"{kept} rows kept" in seen.text()
        assert "evaltui run --resume r1" in seen.text()


async def test_ctrl_c_stops_starting_cases_and_a_second_one_leaves(
    slow: UlxProject, opened: Opened
) -> None:
    async with watching(slow, opened) as (seen, bench, _):
        await seen.until(lambda: bench.desk.view.total > 3)
        await seen.tap("ctrl+c")
        await seen.until(lambda: bench.live is not None and bench.live.state == "interrupted")
        assert bench.desk.view.total <= 30
        assert not seen.app._exit
        await seen.tap("ctrl+c")
        assert seen.app._exit


async def test_a_case_is_run_again_as_a_linked_run(quick: UlxProject, opened: Opened) -> None:
    async with watching(quick, opened) as (seen, bench, _):
        await seen.until(lambda: not bench.running)
        await seen.settle()
        await seen.tap("r")
        await seen.until(lambda: "r2 ran 1 case again" in seen.text())
        assert "c02" in seen.line("✗ fail")


async def test_a_run_that_cannot_start_leaves_the_screen(
    project: UlxProject, opened: Opened
) -> None:
    project.write("s.ulx", "benchmark {")
    async with watching(project, opened) as (seen, bench, _):
        live = bench.live
        assert live is not None
        await seen.until(lambda: live.state == "died")
        await seen.pilot.pause()
        assert seen.app._exit
        assert "s.ulx" in live.problem
        assert live.exit_code == 2
