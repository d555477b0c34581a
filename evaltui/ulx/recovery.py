"""Reading on after a lexical error, so that one bad character does not hide all others."""

from __future__ import annotations

import re

from evaltui.ulx.lexer import Tokens, scan_into
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Span

MAX_ERRORS = 50
"""So many lexical errors of one source are worth reading."""

UNCLOSED = "not closed"

HEAD = re.compile(
    r"""^(?:
      (?:conversation|judge|validator)[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*\(
    | dataset[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*:
    | type[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*=
    | benchmark[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*\{
    | provider[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]+(?:from[ \t]+"|\{)
    | import[ \t]+(?:"|[a-z]+[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]+from\b)
    )""",
    re.VERBOSE | re.MULTILINE,
)
"""The start of a declaration or import at the beginning of a line."""


def scan_leniently(spelled: str) -> tuple[Tokens, list[UlxSyntaxError]]:
    """The tokens of a source that is no program, and its lexical errors.

    A bad character is left out. Something that is never closed is left out up to the next line
    that looks like a declaration; so is a string with such a line in it.
    """
    tokens = Tokens([], [], [], [])
    errors: list[UlxSyntaxError] = []
    position = checked = 0
    while len(errors) < MAX_ERRORS:
        error: UlxSyntaxError | None = None
        try:
            scan_into(tokens, spelled, position)
        except UlxSyntaxError as caught:
            error = caught
        swallowed = _swallowing(spelled, tokens, checked)
        if swallowed is not None:
            error = _unclosed(tokens, swallowed)
            _cut(tokens, swallowed)
        checked = len(tokens.kinds)
        if error is None:
            return tokens, errors
        errors.append(error)
        position = _resume(spelled, error, tokens)
    _end(tokens, len(spelled))
    return tokens, errors


def _swallowing(spelled: str, tokens: Tokens, first: int) -> int | None:
    """The first string or text block from token ``first`` on that holds a declaration."""
    for index in range(first, len(tokens.kinds)):
        if tokens.kinds[index] in ("string", "text"):
            start, end = tokens.starts[index], tokens.ends[index]
            if "\n" in spelled[start:end] and HEAD.search(spelled, start + 1, end):
                return index
    return None


def _unclosed(tokens: Tokens, index: int) -> UlxSyntaxError:
    start = tokens.starts[index]
    width = 3 if tokens.kinds[index] == "text" else 1
    return UlxSyntaxError(Span(start, start + width), custom=UNCLOSED)


def _cut(tokens: Tokens, index: int) -> None:
    for column in tokens:
        del column[index:]


def _end(tokens: Tokens, position: int) -> None:
    for column, value in zip(tokens, ("end", "", position, position), strict=True):
        column.append(value)  # type: ignore[attr-defined]


def _resume(spelled: str, error: UlxSyntaxError, tokens: Tokens) -> int:
    start, end = error.span
    bad = spelled[start:end]
    if bad.startswith("/*"):
        closed = spelled.find("*/", start + 2)
        if closed >= 0:
            return closed + 2
    if bad.startswith(('"', "/*")):
        head = HEAD.search(spelled, start + 1)
        return head.start() if head else len(spelled)
    if bad.isdigit():
        for column, value in zip(tokens, ("int", 0, start, end), strict=True):
            column.append(value)  # type: ignore[attr-defined]
    return max(end, start + 1)
