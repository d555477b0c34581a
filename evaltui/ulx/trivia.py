"""What stands between the tokens of a source: comments and blank lines.

Like the lexer, everything here works on sources spelled one character a byte.
"""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from evaltui.ulx.interpolation import split_text
from evaltui.ulx.lexer import Tokens, tokenize
from evaltui.ulx.syntax_error import UlxSyntaxError

_PIECE = re.compile(
    r"(?P<space>[ \t\r\n\f]++)|(?P<line>//[^\n]*+)|(?P<block>/\*(?:[^*]++|\*[^*/])*+\*++/)"
)
_TRAILING = " \t\r\f"


class Comment(Struct, frozen=True):
    """One comment as written, without white space after it.

    ``is_line`` tells that it ends with its line; ``starts_line`` that only white space is before
    it on its line; ``blank_before`` that an empty line is.
    """

    text: str
    is_line: bool
    starts_line: bool
    blank_before: bool


class Gap(Struct, frozen=True):
    """The comments before a token; ``ends_line`` and ``blank_after`` tell of what follows them."""

    comments: tuple[Comment, ...] = ()
    ends_line: bool = False
    blank_after: bool = False

    def then(self, other: Gap) -> Gap:
        """This gap and ``other`` as one, when nothing is left between them."""
        if not other.comments:
            return Gap(
                self.comments,
                self.ends_line or other.ends_line,
                self.blank_after or other.blank_after,
            )
        first = other.comments[0]
        first = replace(
            first,
            starts_line=first.starts_line or self.ends_line,
            blank_before=first.blank_before or self.blank_after,
        )
        return replace(other, comments=(*self.comments, first, *other.comments[1:]))

    def on_same_line(self) -> Gap:
        """Only the comments that stand on the line of the token before."""
        return Gap(self.comments[: self._first_line_start()])

    def on_own_lines(self) -> Gap:
        """All but the comments that stand on the line of the token before."""
        return replace(self, comments=self.comments[self._first_line_start() :])

    def split_at_blank(self) -> tuple[Gap, Gap]:
        """The comments before the last empty line, and the rest."""
        blanks = [number for number, one in enumerate(self.comments) if one.blank_before]
        at = len(self.comments) if self.blank_after else (blanks[-1] if blanks else 0)
        if not at:
            return Gap(), self
        return Gap(self.comments[:at], True, True), replace(self, comments=self.comments[at:])

    def _first_line_start(self) -> int:
        starts = [number for number, one in enumerate(self.comments) if one.starts_line]
        return starts[0] if starts else len(self.comments)


def gaps(spelled: str, tokens: Tokens) -> list[Gap]:
    """The gap before each token, the end of input included."""
    ends = [0, *tokens.ends]
    return [
        _gap(spelled[ends[number] : start], at_start=number == 0)
        for number, start in enumerate(tokens.starts)
    ]


def _gap(text: str, *, at_start: bool) -> Gap:
    if not text:
        return Gap()
    comments: list[Comment] = []
    lines = 0
    for piece in _PIECE.finditer(text):
        if piece.lastgroup == "space":
            lines = piece[0].count("\n")
            continue
        after_line = comments[-1].is_line if comments else at_start
        text = piece[0].rstrip(_TRAILING)
        is_line = piece.lastgroup == "line"
        comments.append(Comment(text, is_line, lines > 0 or after_line, lines > 1))
        lines = 0
    return Gap(tuple(comments), lines > 0, lines > 1)


def inner_comments(content: str) -> list[str]:
    """The comments inside the interpolations of a text block's decoded ``content``."""
    found: list[str] = []
    for piece in split_text(content) or []:
        if piece.is_code and "/" in piece.source:
            found += _comments_of(piece.source)
    return found


def _comments_of(spelled: str) -> list[str]:
    try:
        tokens = tokenize(spelled)
    except UlxSyntaxError:
        return []
    return [comment.text for gap in gaps(spelled, tokens) for comment in gap.comments]


def comment_texts(spelled: str, tokens: Tokens) -> list[str]:
    """Every comment of a source in order, those inside interpolations included."""
    found: list[str] = []
    for number, gap in enumerate(gaps(spelled, tokens)):
        found += [comment.text for comment in gap.comments]
        if tokens.kinds[number] == "text":
            found += inner_comments(str(tokens.values[number]))
    return found
