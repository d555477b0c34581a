"""Where things inside text blocks really stand.

Spans inside an interpolation leave out the opening quotes and the backslashes of escapes, as the
reference's do (language specification 1.6); here they are turned into offsets of the source.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property

from evaltui.ulx.lexer import Tokens
from evaltui.ulx.tree import Span

_QUOTES = 3
_ESCAPE = re.compile(r"\\.", re.DOTALL)


class TextPlaces:
    """The offsets of one text block, the token ``spelled[start:end]``."""

    def __init__(self, spelled: str, start: int, end: int) -> None:
        self._first = start + _QUOTES
        self._last = end - _QUOTES
        escapes = _ESCAPE.finditer(spelled, self._first, self._last)
        self._escaped = [
            match.start() - self._first - number for number, match in enumerate(escapes)
        ]

    @classmethod
    def plain(cls, size: int) -> TextPlaces:
        """The offsets of a whole file of ``size`` bytes, which has neither quotes nor escapes."""
        return cls(" " * _QUOTES, -_QUOTES, size + _QUOTES)

    def offset(self, decoded: int) -> int:
        """The source offset of the character at ``decoded`` of the decoded content."""
        return min(self._first + decoded + bisect_left(self._escaped, decoded), self._last)


class TrueSpans:
    """The spans of one source, given one character a byte; ``tokens`` are asked for when needed."""

    def __init__(self, spelled: str, tokens: Callable[[], Tokens]) -> None:
        self._spelled = spelled
        self._tokens = tokens
        self._places: dict[int, TextPlaces] = {}

    @cached_property
    def _blocks(self) -> tuple[list[int], list[int]]:
        kinds, _, starts, ends = self._tokens()
        blocks = [number for number, kind in enumerate(kinds) if kind == "text"]
        return [starts[number] for number in blocks], [ends[number] for number in blocks]

    def true(self, span: Span) -> Span:
        """``span`` itself, unless it is inside a text block: then where that really is."""
        starts, ends = self._blocks
        number = bisect_right(starts, span.start) - 1
        if number < 0 or not starts[number] < span.start < ends[number]:
            return span
        start = starts[number]
        if start not in self._places:
            self._places[start] = TextPlaces(self._spelled, start, ends[number])
        places = self._places[start]
        return Span(places.offset(span.start - start), places.offset(span.end - start))
