"""Findings with their places in lines and columns, as people and machines read them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from evaltui.ulx.diagnostics import Problem, Severity
from evaltui.ulx.tree import Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; lines and columns count from 1, columns in characters, the end is exclusive.

    ``message`` is one sentence, ``hint`` what to do (may be empty), ``source_line`` the line that
    the finding begins in.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    rule: str
    message: str
    hint: str
    source_line: str

    @property
    def is_error(self) -> bool:
        """Whether it makes a check fail."""
        return self.severity is Severity.ERROR


class SourceLines:
    """The lines of one file, whose name is to be shown as ``name``."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self._lines = source.encode("utf-8").split(b"\n")
        self._starts = [0]
        for line in self._lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def finding(self, severity: Severity, problem: Problem, span: Span) -> Finding:
        """``problem`` at the bytes ``span``."""
        line, column = self._place(span.start)
        end_line, end_column = self._place(max(span))
        return Finding(
            self.name,
            line,
            column,
            end_line,
            end_column,
            severity,
            problem.rule.value,
            problem.plain,
            problem.hint,
            self._lines[line - 1].decode("utf-8", "replace").removesuffix("\r"),
        )

    def offset(self, line: int, column: int) -> int:
        """The byte at a line and column; the nearest one there is when there is none."""
        number = min(max(line, 1), len(self._lines)) - 1
        before = self._lines[number].decode("utf-8", "replace")[: max(column - 1, 0)]
        return self._starts[number] + len(before.encode("utf-8"))

    def _place(self, offset: int) -> tuple[int, int]:
        number = bisect_right(self._starts, offset) - 1
        before = self._lines[number][: offset - self._starts[number]]
        return number + 1, len(before.decode("utf-8", "replace")) + 1
