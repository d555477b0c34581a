"""How long a user waits before anything happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.harness import (
    EVALTUI,
    Line,
    Terminal,
    environment,
    forget,
    median_of,
    project,
    run,
)


def lines() -> Iterator[Line]:
    floor = median_of(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 9)
    with project(20) as folder:
        for option in ("--version", "--help"):
            taken = median_of(lambda o=option: run(o, cwd=folder), 7)  # type: ignore[misc]
            yield Line(f"evaltui {option}", taken, "s", 0.2, floor, "python -c pass")
        taken = median_of(lambda: _first_line(folder), 7)
        yield Line("run --ci, start to first case", taken, "s", 0.2, floor, "python -c pass")
        taken = median_of(lambda: _first_line(folder, new=True), 7)
        yield Line("the same in a new project", taken, "s", 0.2, floor, "python -c pass")
        taken = median_of(lambda: _bench(folder), 7)
        yield Line("ulx bench, 20 cases, start to end", taken, "s", None, floor, "python -c pass")
        paints = sorted(_painted(folder, "starting the run") for _ in range(7))
        yield Line("run on a terminal, start to first paint", paints[3], "s", 0.35, floor, "python")
        paints = sorted(_painted(folder, "case-000000") for _ in range(7))
        yield Line("run on a terminal, start to first rows", paints[3], "s", None, floor, "python")


def _first_line(folder: Path, *, new: bool = False) -> None:
    if new:
        forget(folder)
    command = [*EVALTUI, "run", "trivial.ulx", "--mock", "--ci", "--no-cache"]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.kill()


def _bench(folder: Path) -> None:
    forget(folder)
    run("ulx", "bench", "trivial.ulx", "Trivial", "--mock", cwd=folder)


def _painted(folder: Path, text: str) -> float:
    with Terminal("run", "trivial.ulx", "--mock", "--no-cache", cwd=folder) as terminal:
        return terminal.until(text)
