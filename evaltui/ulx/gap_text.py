"""What the comment-keeping formatter writes between two tokens.

A gap is written as the canonical text has it, with the comments of the source in it. Whatever is
written reads back as the same gap, so that formatting twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaltui.ulx.lexer import END
from evaltui.ulx.trivia import Comment, Gap

_STEP = 2
_CONTINUATION = 4
_OPENERS = frozenset("{[")
_CLOSERS = frozenset("}]")
_TIGHT_AFTER = frozenset("([{")
_TIGHT_BEFORE = frozenset(")]},.")
_EMPTY = (("{", "}"), ("[", "]"))


class GapWriter:
    """Writes the gaps of one file in order; remembers how far the current line is indented."""

    def __init__(self) -> None:
        self._indent = 0

    def gap(self, gap: Gap, white: str, before: str, after: str) -> str:
        """The text between tokens of the kinds ``before`` (empty at the start) and ``after``.

        ``white`` is the white space of the canonical text.
        """
        if "\n" in white or not before or after == END:
            self._indent = len(white) - white.rfind("\n") - 1
            return self._over_lines(gap, white.count("\n") > 1, before, after)
        if not gap.comments:
            return white
        lines = any(one.is_line or one.starts_line for one in gap.comments)
        if (before, after) in _EMPTY and lines:
            return self._over_lines(gap, False, before, after)
        if (before, after) in _EMPTY:
            return f" {_joined(gap.comments)} "
        return "".join(self._within_line(gap, white, before, after))

    def _over_lines(self, gap: Gap, needs_blank: bool, before: str, after: str) -> str:
        closes, ends = after in _CLOSERS, after == END
        beside, *groups = _lines_of(gap.comments)
        blanks = [*[group[0].blank_before for group in groups], gap.blank_after]
        if needs_blank and not any(blanks):
            blanks[0] = True
        if not before or before in _OPENERS:
            blanks[0] = False
        blanks[-1] = blanks[-1] and not closes and not ends
        indent = " " * (self._indent + _STEP * closes)
        lines = ["\n" * blank + indent + _joined(group) for group, blank in _pairs(groups, blanks)]
        if groups and not (gap.ends_line or groups[-1][-1].is_line or closes or ends):
            lines[-1] += " "
        else:
            lines.append("\n" * blanks[-1] + " " * self._indent)
        text = "".join([f" {one.text}" for one in beside]) + "".join(f"\n{line}" for line in lines)
        return text if before else text.removeprefix("\n")

    def _within_line(self, gap: Gap, white: str, before: str, after: str) -> Iterator[str]:
        continued = "\n" + " " * (self._indent + _CONTINUATION)
        fresh = before in _TIGHT_AFTER and not gap.comments[0].is_line
        for comment in gap.comments:
            if comment.is_line and comment.starts_line and not fresh:
                yield continued
            elif not fresh:
                yield " "
            yield comment.text
            fresh = comment.is_line
            if fresh:
                yield continued
        if not fresh and after not in _TIGHT_BEFORE:
            yield " "


def _lines_of(comments: tuple[Comment, ...]) -> list[list[Comment]]:
    """The comments line by line; the first line is that of the token before."""
    lines: list[list[Comment]] = [[]]
    for comment in comments:
        after_line = bool(lines[-1]) and lines[-1][-1].is_line
        if comment.starts_line or after_line:
            lines.append([])
        lines[-1].append(comment)
    return lines


def _joined(line: Iterable[Comment]) -> str:
    return " ".join([comment.text for comment in line])


def _pairs(groups: list[list[Comment]], blanks: list[bool]) -> list[tuple[list[Comment], bool]]:
    return list(zip(groups, blanks, strict=False))
