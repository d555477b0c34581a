"""Findings with their places in lines and columns, as people and machines read them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from evaltui.ulx.diagnostics import Problem, Severity
from evaltui.ulx.tree import Span


class Finding(Struct, frozen=True):
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
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + _size(line) + 1)
        self._known: tuple[int, Sequence[int]] = -1, ()

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
            self._lines[line - 1].removesuffix("\r"),
        )

    def offset(self, line: int, column: int) -> int:
        """The byte at a line and column; the nearest one there is when there is none."""
        number = min(max(line, 1), len(self._lines)) - 1
        return self._starts[number] + _size(self._lines[number][: max(column - 1, 0)])

    def _place(self, offset: int) -> tuple[int, int]:
        number = min(bisect_right(self._starts, offset), len(self._lines)) - 1
        within = offset - self._starts[number]
        return number + 1, bisect_right(self._characters(number), within)

    def _characters(self, number: int) -> Sequence[int]:
        """Where each character of a line begins in it, in bytes, its end included."""
        if self._known[0] != number:
            line = self._lines[number]
            ends = accumulate([_size(character) for character in line], initial=0)
            self._known = number, range(len(line) + 1) if line.isascii() else list(ends)
        return self._known[1]


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8"))
