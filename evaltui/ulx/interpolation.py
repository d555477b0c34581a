"""Finding the interpolations of a text (language specification 1.6)."""

from __future__ import annotations

from typing import NamedTuple

UNTERMINATED = "unterminated interpolation `{`"


class Piece(NamedTuple):
    """A part of a text: literal, or the source of an expression, at a byte offset in the text."""

    is_code: bool
    source: str
    offset: int


def split_text(content: str) -> list[Piece] | None:
    """Cut decoded ``content`` at ``{`` and the first ``}`` after it.

    ``content`` has one character a byte. Empty literals are left out. None when a ``{`` is never
    closed.
    """
    pieces: list[Piece] = []
    position = 0
    while (opening := content.find("{", position)) >= 0:
        if opening > position:
            pieces.append(Piece(False, content[position:opening], position))
        closing = content.find("}", opening)
        if closing < 0:
            return None
        pieces.append(Piece(True, content[opening + 1 : closing], opening + 1))
        position = closing + 1
    if position < len(content):
        pieces.append(Piece(False, content[position:], position))
    return pieces
