"""A provider that takes 200 ms a call: waiting must overlap up to the concurrency."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.harness import Line, median_of, project, run

CASES, AT_ONCE, DELAY = 640, 64, 0.2
POLICY = """\
[run]
concurrency = 64
[providers.Slow]
vendor = "scripted"
chat = { model = "slow", params = { answers = "answers.jsonl" } }
"""


def lines() -> Iterator[Line]:
    with project(CASES, POLICY) as folder:
        answer = {"text": "said", "delay_ms": DELAY * 1000}
        (folder / "answers.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
        start = median_of(lambda: _run(folder, 1), 3) - DELAY
        taken = median_of(lambda: _run(folder, CASES), 3) - start
    floor = math.ceil(CASES / AT_ONCE) * DELAY
    what = f"{CASES} calls of 200 ms, {AT_ONCE} at once"
    yield Line(what, taken, "s", 1.1 * floor, floor, "waiting alone")


def _run(folder: Path, cases: int) -> None:
    run("run", "trivial.ulx", "--ci", "--no-cache", "--limit", str(cases), cwd=folder)
