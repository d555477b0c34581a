"""Byte offsets to lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

_ENDS = "\n\r\v\f\x85\u2028\u2029"
_LINE_END = re.compile(f"\r\n|[{_ENDS}]")


def line_and_column(source: str, offset: int) -> tuple[int, int]:
    """The 1-based line and column, in characters, of byte ``offset``; lines end at LF."""
    encoded, starts = _encoded_lines(source)
    line = bisect_right(starts, min(offset, len(encoded)))
    start = starts[line - 1]
    if source.isascii():
        return line, min(offset, len(encoded)) - start + 1
    return line, len(encoded[start:offset].decode("utf-8", "ignore")) + 1


@lru_cache(maxsize=4)
def _encoded_lines(source: str) -> tuple[bytes, list[int]]:
    encoded = source.encode("utf-8")
    return encoded, [0, *[match.end() for match in re.finditer(b"\n", encoded)]]


class ReferenceLines:
    """The lines of a source as the reference's reports count them (language specification 5.1).

    Offsets are taken as characters, and lines end at every character Unicode calls a line end.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.byte_length = len(source.encode("utf-8"))
        self.starts = [0, *[match.end() for match in _LINE_END.finditer(source)]]
        if len(self.starts) > 1 and self.starts[-1] == len(source):
            self.starts.pop()

    def line(self, offset: int) -> int:
        """The 0-based line that holds character ``offset``."""
        return bisect_right(self.starts, offset) - 1

    def place(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of character ``offset``."""
        line = self.line(offset)
        return line + 1, offset - self.starts[line] + 1

    def text(self, line: int, first: int = 0, width: int | None = None) -> str:
        """Line ``line`` (0-based) without its line end; ``width`` characters from ``first`` on."""
        start, end = self.starts[line], len(self.source)
        if line + 1 < len(self.starts):
            end = self.starts[line + 1]
        if self.source.endswith("\r\n", start, end):
            end -= 2
        elif end > start and self.source[end - 1] in _ENDS:
            end -= 1
        return self.source[
            start + first : end if width is None else min(start + first + width, end)
        ]
