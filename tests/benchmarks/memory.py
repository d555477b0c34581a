"""Peak memory of a headless run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.benchmarks.harness import Line, peak_megabytes, project


def lines() -> Iterator[Line]:
    floor = float(
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)",
            ],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
    )
    for cases, budget in ((10_000, 120), (100_000, 300)):
        with project(cases) as folder:
            used = peak_megabytes("run", "trivial.ulx", "--mock", "--ci", "--no-cache", cwd=folder)
        yield Line(f"memory, {cases:,} cases", used, "MB", budget, floor, "python alone")
