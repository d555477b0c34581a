"""Measure what the design promises and print it beside its budget and a floor.

Usage: ``python tests/benchmarks/run.py [NAME...]`` with the names of modules in this folder.
The floor is the least that the same work costs on this machine, measured in the same run, so
that the ratio means the same everywhere. Not part of the test run.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.harness import Line

PARTS = (
    "startup",
    "interpreter",
    "bench_ulx",
    "throughput",
    "slow_provider",
    "bench_providers",
    "memory",
    "stored",
    "diffs",
)
HEADINGS = ("what", "measured", "budget", "", "floor", "ratio")


def row(line: Line) -> tuple[str, ...]:
    """One line of the table as texts."""
    relation = "≥" if line.at_least else "≤"
    budget = "" if line.budget is None else f"{relation} {_number(line.budget)} {line.unit}"
    verdict = {True: "ok", False: "OVER", None: ""}[line.within]
    floor = "" if line.floor is None else f"{_number(line.floor)} {line.unit} ({line.floor_name})"
    ratio = "" if not line.floor else f"{line.value / line.floor:.2f}x"
    return (line.what, f"{_number(line.value)} {line.unit}", budget, verdict, floor, ratio)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measured(names: Sequence[str]) -> Iterator[Line]:
    for name in names:
        yield from importlib.import_module(f"tests.benchmarks.{name}").lines()


def main(names: Sequence[str]) -> int:
    widths = (60, 14, 16, 5, 34, 8)
    print("  ".join(text.ljust(width) for text, width in zip(HEADINGS, widths, strict=True)))
    over = 0
    for line in measured(names or PARTS):
        print("  ".join(text.ljust(width) for text, width in zip(row(line), widths, strict=True)))
        sys.stdout.flush()
        over += line.within is False
    print(f"{over} over budget" if over else "all within budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
