"""Byte offsets to lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")


def line_and_column(source: str, offset: int) -> tuple[int, int]:
    """The 1-based line and column, in characters, of byte ``offset``; lines end at LF."""
    before = source.encode("utf-8")[:offset].decode("utf-8", "ignore")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


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

    def text(self, line: int) -> str:
        """Line ``line`` (0-based) without its line end."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.source)
        return re.sub(
            "(?:\r\n|[\n\r\v\f\x85\u2028\u2029])\\Z", "", self.source[self.starts[line] : end]
        )
