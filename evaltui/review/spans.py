"""Lines of text with roles: what a page says and what each part of it is, before any colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from evaltui.models import Outcome
from evaltui.text import cells, clip, safe

GLYPHS = {
    Outcome.PASS: "✓",
    Outcome.FAIL: "✗",
    Outcome.REVIEW: "?",
    Outcome.ERROR: "!",
    Outcome.SUSPENDED: "◷",
    Outcome.SKIPPED: "-",
}
"""One sign an outcome, so that colour never carries the meaning alone."""


class Role(StrEnum):
    """What a piece of text is; a screen gives each role a style."""

    PLAIN = "plain"
    QUIET = "quiet"
    TITLE = "title"
    LABEL = "label"
    OLD = "old"
    NEW = "new"
    OLD_WORD = "old-word"
    NEW_WORD = "new-word"
    PASS = "pass"
    FAIL = "fail"
    REVIEW = "review"
    ERROR = "error"
    SUSPENDED = "suspended"
    SKIPPED = "skipped"
    DECISION = "decision"
    BAR = "bar"
    """The finished part of a progress bar."""
    KEY = "key"


class Span(Struct, frozen=True):
    """Safe text with a role; holds no line break."""

    text: str
    role: Role = Role.PLAIN


Line = tuple[Span, ...]

_PIECES = re.compile(r"\s+|\S+")


def line(text: str, role: Role = Role.PLAIN) -> Line:
    """One line of untrusted text, made safe."""
    return (Span(safe(text), role),)


def lines(text: str, role: Role = Role.PLAIN) -> list[Line]:
    """Untrusted text as lines; tabs become spaces so that columns hold."""
    return [(Span(part, role),) for part in safe_lines(text)]


def safe_lines(text: str) -> list[str]:
    """The lines of untrusted text, safe to show."""
    return safe(text.replace("\r\n", "\n").expandtabs(4), newlines=True).split("\n")


def width_of(spans: Iterable[Span]) -> int:
    """The cells that a line takes."""
    return sum(cells(span.text) for span in spans)


def plain_text(spans: Iterable[Span]) -> str:
    """A line without its roles."""
    return "".join(span.text for span in spans)


def wrap(spans: Line, width: int) -> list[Line]:
    """Break a line into lines of at most ``width`` cells, between words where possible."""
    width = max(width, 1)
    if width_of(spans) <= width:
        return [spans]
    done: list[Line] = []
    current: list[Span] = []
    used = 0
    for piece, size in _pieces(spans, width):
        if used + size > width:
            done.append(tuple(current))
            current, used = [], 0
            if piece.text.isspace():
                continue
        current.append(piece)
        used += size
    done.append(tuple(current))
    return done


def cut_line(spans: Line, width: int) -> Line:
    """The start of a line that fits ``width`` cells, with an ellipsis when something is missing."""
    if width_of(spans) <= width:
        return spans
    done: list[Span] = []
    room = width
    for span in spans:
        size = cells(span.text)
        if size >= room:
            return (*done, Span(clip(span.text + " ", room), span.role))
        done.append(span)
        room -= size
    return tuple(done)


def filled(spans: Line, width: int, role: Role = Role.PLAIN) -> Line:
    """A line made exactly ``width`` cells wide; it must not be wider."""
    missing = width - width_of(spans)
    return (*spans, Span(" " * missing, role)) if missing > 0 else spans


def _pieces(spans: Line, width: int) -> Iterator[tuple[Span, int]]:
    """Words and gaps with their cells; a word wider than the line comes in parts."""
    for span in spans:
        for match in _PIECES.finditer(span.text):
            text = match[0]
            size = cells(text)
            if size <= width:
                yield Span(text, span.role), size
                continue
            for part in _parts(text, width):
                yield Span(part, span.role), cells(part)


def _parts(text: str, width: int) -> Iterator[str]:
    if text.isascii():
        yield from (text[start : start + width] for start in range(0, len(text), width))
        return
    from rich.cells import get_character_cell_size

    part, used = "", 0
    for character in text:
        size = get_character_cell_size(character)
        if part and used + size > width:
            yield part
            part, used = "", 0
        part += character
        used += size
    yield part
