"""Ulexite alone: checking a long file, and the interpreter against an empty loop.

Usage: ``python tests/benchmarks/bench_ulx.py``. Prints the time to check a file of 5,000 lines, the
cases a second of the interpreter with the mock provider (no cache, no store), and the ratio of
their time to that of a loop over the same rows that does nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from evaltui.engine.compiler import compile_program
from evaltui.engine.effects import Dialect
from evaltui.engine.values import Value
from evaltui.suites.ulexite_source import read_program
from evaltui.ulx.workspace import Workspace
from tests.benchmarks.harness import Line, project, seconds
from tests.benchmarks.interpreter import MockEffects

LINES = 5_000
CASES = 5_000
TIMES = 3

DECLARATIONS = '''\
// Answers one letter.
conversation Answer{n}(letter: text, tone: text) -> text {{
  system: """You are {{tone}}."""
  user: """Answer this: {{letter}}"""
  assistant -> reply: text
  match judge Polite{n}(reply) {{
    Pass => reply
    Fail(reason) => retry(2) {{
      user: """Again, because {{reason}}."""
      assistant -> reply
    }} else escalate(person, reason: reason)
    _ => reply
  }}
}}

judge Polite{n}(reply: text) -> Verdict {{
  rubric: """Is it polite? {{reply}}"""
}}

benchmark Letters{n} {{
  dataset: Letters
  run: Answer{n}($.letter, "kind") -> reply
  expect reply satisfies judge Polite{n}(reply) with threshold(0.8)
}}

'''


def long_program() -> str:
    """A program of ``LINES`` lines without mistakes."""
    each = DECLARATIONS.count("\n")
    text = 'dataset Letters: [{letter: text}] {\n  [{letter: "Hello"}]\n}\n'
    text += "".join(DECLARATIONS.format(n=number) for number in range(LINES // each - 1))
    return text + "// the end\n" * (LINES - text.count("\n"))


def check_line() -> Line:
    """How long a check of a long file takes."""
    with TemporaryDirectory(prefix="evaltui-bench-") as name:
        folder = Path(name)
        (folder / "long.ulx").write_text(long_program(), encoding="utf-8")

        def check() -> None:
            workspace = Workspace(folder)
            workspace.check("long.ulx")
            assert not workspace.findings

        taken = min(seconds(check) for _ in range(TIMES))
    return Line(f"check of a file of {LINES:,} lines", taken, "s", 1.0)


def _empty_loop(rows: list[Value]) -> None:
    for _ in rows:
        pass


def interpreter_lines() -> Iterator[Line]:
    """The interpreter's speed, and its time as a multiple of an empty loop's."""
    with project(CASES) as folder:
        _, merged, _ = read_program(folder / "trivial.ulx", folder, {})
        benchmark = compile_program(merged, Dialect.RUN).benchmark("Trivial")
        rows = benchmark.load_rows()
        effects = MockEffects()
        taken = min(
            seconds(lambda: [benchmark.execute(row, effects) for row in rows]) for _ in range(TIMES)
        )
        empty = min(seconds(lambda: _empty_loop(rows)) for _ in range(TIMES))
    yield Line("interpreter with the mock", CASES / taken, "cases/s", 5_000, at_least=True)
    yield Line("interpreter against an empty loop", taken / empty, "x")


def lines() -> Iterator[Line]:
    """All measurements."""
    yield check_line()
    yield from interpreter_lines()


def main() -> int:
    """Print the measurements; 1 when one is over its budget."""
    from tests.benchmarks.run import row

    over = False
    for line in lines():
        print("  ".join(text.ljust(34) for text in row(line)[:4]).rstrip())
        over |= line.within is False
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
