"""How long a key waits in the table of the run screen while rows arrive."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.harness import Line

LINE = re.compile(
    r"([\d,]+) rows, ([\d,]+) rows/s, (\w+)\s+handled p95\s+([\d.]+) ms\s+painted p95\s+([\d.]+) ms"
)
MILLION = 1_000_000


def lines() -> Iterator[Line]:
    script = Path(__file__).with_name("bench_table.py")
    printed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    ).stdout
    for rows, rate, key, handled, painted in LINE.findall(printed):
        what = f"{key} among {rows} rows, {rate} rows/s arriving"
        budget = 16 if int(rows.replace(",", "")) >= MILLION else 10
        yield Line(f"{what}: handled", float(handled), "ms", budget)
        yield Line(f"{what}: painted", float(painted), "ms", 35 if budget == 10 else None)
