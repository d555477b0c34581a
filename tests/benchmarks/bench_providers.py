"""Live calls against the fault server: overlapping waits, and the cost of a call beside httpx."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from tests.benchmarks.harness import EVALTUI, Line, project
from tests.fault_server.client import ROOT, FaultServer

SLOW_CASES, AT_ONCE, DELAY = 2000, 64, 0.2
QUICK_CASES = 10_000
BARE_CALLS = 5_000

POLICY = """\
[run]
concurrency = {at_once}
[providers.Vendor]
vendor = "openai_compatible"
base_url = "{url}"
chat = "some-model"
"""
BARE = """
import asyncio, httpx, sys
url, calls, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
body = {"messages": [{"content": "Say 1234.", "role": "user"}], "model": "some-model"}
async def main():
    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    left = iter(range(calls))
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:
        async def work():
            for _ in left:
                reply = await client.post(url, json=body)
                reply.json()["choices"][0]["message"]["content"]
        await asyncio.gather(*(work() for _ in range(at_once)))
asyncio.run(main())
"""


def lines() -> Iterator[Line]:
    with FaultServer() as server:
        yield _slow(server)
        yield from _quick(server)


def _slow(server: FaultServer) -> Line:
    url = server.url(server.bucket(), f"delay:{DELAY * 1000:.0f}")
    with _suite(SLOW_CASES, url) as folder:
        start, _ = _measured(_command(1), folder)
        taken, _ = _measured(_command(SLOW_CASES), folder)
    floor = math.ceil(SLOW_CASES / AT_ONCE) * DELAY
    what = f"{SLOW_CASES} live calls of 200 ms, {AT_ONCE} at once"
    return Line(what, taken - start + DELAY, "s", 1.1 * floor, floor, "waiting alone")


def _quick(server: FaultServer) -> Iterator[Line]:
    url = server.url(server.bucket(), "ok")
    with _suite(QUICK_CASES, url) as folder:
        start, start_cpu = _measured(_command(1), folder)
        taken, cpu = _measured(_command(QUICK_CASES), folder)
    bare = [sys.executable, "-c", BARE, f"{url}/chat/completions"]
    bare_start, bare_start_cpu = _measured([*bare, "1", "1"], ROOT)
    bare_taken, bare_cpu = _measured([*bare, str(BARE_CALLS), str(AT_ONCE)], ROOT)
    rate = (QUICK_CASES - 1) / (taken - start)
    floor = (BARE_CALLS - 1) / (bare_taken - bare_start)
    yield Line(
        f"live calls without delay, {AT_ONCE} at once",
        rate,
        "calls/s",
        0.7 * floor,
        floor,
        "bare httpx",
        at_least=True,
    )
    yield Line(
        "CPU of a live call, its case and its commit",
        (cpu - start_cpu) / (QUICK_CASES - 1) * 1000,
        "ms",
        floor=(bare_cpu - bare_start_cpu) / (BARE_CALLS - 1) * 1000,
        floor_name="bare httpx",
    )


def _suite(cases: int, url: str) -> AbstractContextManager[Path]:
    return project(cases, POLICY.format(at_once=AT_ONCE, url=url))


def _command(cases: int) -> list[str]:
    words = ["run", "trivial.ulx", "--ci", "--no-cache", "--limit", str(cases)]
    return [*EVALTUI, *words]


def _measured(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a process that must succeed."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{command[:4]} exited with {child.returncode}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime
