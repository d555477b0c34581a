"""Pages of lines that fit a width: what a pane or a screen shows, independent of any toolkit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from msgspec import Struct

from evaltui.review.spans import Line, Role, Span, filled, line, lines, plain_text, width_of, wrap
from evaltui.review.text_diff import Row
from evaltui.text import clip, one_line

SIDE_BY_SIDE = 100
"""From this width on, old and current stand beside each other."""
_DIVIDER = Span(" │ ", Role.QUIET)


class Page(Struct, frozen=True):
    """Lines ready to draw; ``changes`` are the numbers of the lines at which a change begins."""

    lines: tuple[Line, ...]
    changes: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The page without colours."""
        return "\n".join(plain_text(spans).rstrip() for spans in self.lines)


class PageWriter:
    """Collects blocks and lays them out for one width."""

    def __init__(self, width: int, *, side_by_side: bool | None = None) -> None:
        self.width = max(width, 8)
        self.side_by_side = width >= SIDE_BY_SIDE if side_by_side is None else side_by_side
        self._lines: list[Line] = []
        self._changes: list[int] = []

    def page(self) -> Page:
        """What has been written."""
        return Page(tuple(self._lines), tuple(self._changes))

    def begin_change(self) -> None:
        """The next line begins a change that can be jumped to and counted."""
        self._note_change(True)

    def blank(self) -> None:
        """An empty line, but never two, nor one at the top."""
        if self._lines and self._lines[-1]:
            self._lines.append(())

    def heading(self, title: str, note: str = "") -> None:
        """A section's title with a quiet note behind it."""
        self.blank()
        spans = line(one_line(title, 200), Role.TITLE)
        if note:
            spans = (*spans, Span("  "), *line(one_line(note, 400), Role.QUIET))
        self.add(spans)

    def add(self, spans: Line, indent: int = 0) -> None:
        """One line, wrapped; all of it is indented."""
        for part in wrap(spans, self.width - indent):
            self._lines.append((Span(" " * indent), *part) if indent else part)

    def text(self, text: str, role: Role = Role.PLAIN, indent: int = 2) -> None:
        """Untrusted text of any number of lines."""
        for part in lines(text, role):
            self.add(part, indent)

    def field(self, name: str, text: str, label_width: int, role: Role = Role.PLAIN) -> None:
        """A name and its text, which may take several lines behind the name."""
        label_width = min(label_width, self.width // 2)
        label = clip(one_line(name, 80), label_width)
        room = max(self.width - label_width - 4, 1)
        first = Span("  " + label + " " * (label_width - width_of(line(label)) + 2), Role.LABEL)
        for part in (piece for spans in lines(text, role) for piece in wrap(spans, room)):
            self._lines.append((first, *part))
            first = Span(" " * (label_width + 4))

    def single(self, rows: Sequence[Row]) -> None:
        """A value that stands alone: new, gone, or the same on both sides."""
        self._note_change(any(row.changed for row in rows))
        for row in rows:
            gone = row.right is None
            spans, sign = (row.left, "- ") if gone else (row.right, "+ ")
            role = Role.OLD if gone else Role.NEW
            self._lines.extend(_half(spans, self.width, sign, row.changed, role))

    def pair(self, rows: Sequence[Row], old_title: str, new_title: str) -> None:
        """Old and current, beside each other or one above the other."""
        if self.side_by_side:
            self._beside(rows, old_title, new_title)
        else:
            self._stacked(rows, old_title, new_title)

    def _beside(self, rows: Sequence[Row], old_title: str, new_title: str) -> None:
        left = (self.width - 3) // 2
        right = self.width - 3 - left
        titles = zip_longest(
            wrap(line(old_title, Role.QUIET), left), wrap(line(new_title, Role.QUIET), right)
        )
        for old, new in titles:
            self._lines.append((*filled(old or (), left), _DIVIDER, *filled(new or (), right)))
        changing = False
        for row in rows:
            self._note_change(row.changed and not changing)
            changing = row.changed
            olds = _half(row.left, left, "- ", row.changed, Role.OLD)
            news = _half(row.right, right, "+ ", row.changed, Role.NEW)
            for old, new in zip_longest(olds, news):
                before = old or (Span(" " * left),)
                self._lines.append((*before, _DIVIDER, *(new or (Span(" " * right),))))

    def _stacked(self, rows: Sequence[Row], old_title: str, new_title: str) -> None:
        self.add((Span("- ", Role.OLD), *line(old_title, Role.QUIET)))
        self.add((Span("+ ", Role.NEW), *line(new_title, Role.QUIET)))
        for changed, run in _runs(rows):
            self._note_change(changed)
            for row in run:
                side = row.left if row.left is not None else row.right
                self._lines.extend(
                    _half(row.left if changed else side, self.width, "- ", changed, Role.OLD)
                )
            for row in run if changed else ():
                self._lines.extend(_half(row.right, self.width, "+ ", True, Role.NEW))

    def _note_change(self, begins: bool) -> None:
        if begins:
            self._changes.append(len(self._lines))


def _half(spans: Line | None, width: int, sign: str, changed: bool, role: Role) -> list[Line]:
    """One side of a row, wrapped and filled, with its sign on the first line."""
    if spans is None:
        return []
    if not changed:
        sign, role = "  ", Role.PLAIN
    parts = wrap(spans, width - len(sign))
    signs = [sign] + [" " * len(sign)] * (len(parts) - 1)
    return [filled((Span(s, role), *p), width, role) for s, p in zip(signs, parts, strict=True)]


def _runs(rows: Iterable[Row]) -> list[tuple[bool, list[Row]]]:
    """Neighbouring rows that are all changed, or all unchanged."""
    runs: list[tuple[bool, list[Row]]] = []
    for row in rows:
        if not runs or runs[-1][0] != row.changed:
            runs.append((row.changed, []))
        runs[-1][1].append(row)
    return runs
