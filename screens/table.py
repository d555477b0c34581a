"""The case table: a virtual table that draws only the lines on screen.

It is fed from a ``Source``, an index-based view of light row summaries, so its cost depends on the
height of the screen and not on the number of rows. The cursor is a *case*, not a position: it stays
on its case, and the case on its screen line, while rows arrive above and below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from evaltui.models import CaseSummary
from evaltui.review.spans import Role
from evaltui.screens.columns import GUTTER, Placed, lay_out
from evaltui.screens.roles import Painter
from evaltui.text import pad

_STRIPS = 1024
_NOTICED = 1.01
"""Growth by less than this does not move the scroll bar enough to draw it again."""
_ROLES = {
    "case": Role.PLAIN,
    "slices": Role.QUIET,
    "check": Role.PLAIN,
    "change": Role.PLAIN,
    "attempts": Role.QUIET,
    "latency": Role.QUIET,
    "cost": Role.QUIET,
    "decision": Role.DECISION,
}
_BEHIND = ("", "marked-row", "cursor-row", "cursor-row", "cursor-row-blurred", "cursor-row-blurred")
"""Background by state of a row, see ``CaseTable._state``."""


class Source(Protocol):
    """What the table asks of its rows; ``evaltui.review.view.RowView`` answers."""

    marks: set[int]
    sort_column: str | None
    descending: bool

    @property
    def count(self) -> int: ...

    def at(self, position: int) -> CaseSummary: ...

    def position_of(self, index: int) -> int | None: ...

    def put(self, rows: Sequence[CaseSummary]) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A case and the screen line it is on."""

    index: int
    line: int


class CaseTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of cases with a cursor, marks and a header line that sorts."""

    @dataclass
    class CursorMoved(Message):
        """The cursor is on another case, or on none."""

        table: CaseTable
        index: int | None

        @property
        def control(self) -> CaseTable:
            return self.table

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, CaseTable.CursorMoved)

    @dataclass
    class Opened(Message):
        """A case was double-clicked."""

        table: CaseTable
        index: int

        @property
        def control(self) -> CaseTable:
            return self.table

    @dataclass
    class HeaderClicked(Message):
        """The title of a column was clicked."""

        table: CaseTable
        column: str

        @property
        def control(self) -> CaseTable:
            return self.table

    def __init__(self, source: Source, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source = source
        self.cursor: int | None = None
        """Index of the case under the cursor."""
        self.following = False
        """Whether the cursor stays on the last row as rows arrive."""
        self._position = 0
        self._empty = ""
        self._columns: tuple[Placed, ...] = ()
        self._strips: LRUCache[tuple[int, int], tuple[CaseSummary, Strip]] = LRUCache(_STRIPS)
        self._painted: dict[int, CaseSummary | None] = {}
        self._painter = Painter(self)

    # What the screen calls.

    def receive(self, rows: Sequence[CaseSummary]) -> None:
        """Take new and changed rows; the cursor's case stays, and stays on its line."""
        anchor = self._anchor()
        before = self.source.count
        if self.source.put(rows):
            if self.source.count >= before > 0:
                self._grow()
            else:
                self.virtual_size = Size(0, self.source.count + 1)
            self._settle(anchor)
        self._repaint_changed()

    def reorder(self, change: Callable[[], None]) -> None:
        """Run ``change`` (a sort or filter of the source) and keep the cursor's case in place."""
        anchor = self._anchor()
        change()
        self.virtual_size = Size(0, self.source.count + 1)
        self._settle(anchor)
        self.refresh()

    def move_to(self, position: int) -> None:
        """Put the cursor on the row at ``position``, clamped, and scroll it into view."""
        count = self.source.count
        if not count:
            return
        position = min(max(position, 0), count - 1)
        self._set_cursor(self.source.at(position).index, position)
        self._reveal(position)

    def move_by(self, rows: int) -> None:
        """Move the cursor down (or up, if negative)."""
        self.following = False
        self.move_to(self.position + rows)

    def page(self, direction: int) -> None:
        """Move the cursor and the page by one screen."""
        step = max(self.page_rows - 1, 1) * direction
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)
        self.move_by(step)

    @property
    def position(self) -> int:
        """Where the cursor is in the view."""
        if self.cursor is not None:
            found = self.source.position_of(self.cursor)
            if found is not None:
                return found
        return min(self._position, max(self.source.count - 1, 0))

    @property
    def page_rows(self) -> int:
        """Rows that fit on screen below the header."""
        return max(self.scrollable_content_region.height - 1, 0)

    def say_when_empty(self, text: str) -> None:
        """What stands in the place of rows while there are none."""
        if text != self._empty:
            self._empty = text
            if not self.source.count:
                self.refresh()

    def refresh_marks(self) -> None:
        """Draw again after marks changed."""
        self.refresh()

    # Where things are.

    def _anchor(self) -> _Anchor | None:
        """The cursor's case if it is on screen, else the first case on screen."""
        count, top = self.source.count, self.scroll_offset.y
        if not count:
            return None
        if self.cursor is not None:
            position = self.source.position_of(self.cursor)
            if position is not None and top <= position < top + max(self.page_rows, 1):
                return _Anchor(self.cursor, position - top)
        return _Anchor(self.source.at(min(top, count - 1)).index, 0)

    def _settle(self, anchor: _Anchor | None) -> None:
        """After the order changed: scroll line and cursor."""
        if self.following:
            self.move_to(self.source.count - 1)
            return
        position = self.source.position_of(anchor.index) if anchor else None
        if anchor is not None and position is not None:
            self.scroll_to(y=position - anchor.line, animate=False)
        self._keep_cursor()

    def _grow(self) -> None:
        """More rows: a longer scroll bar, without the layout and repaint of the whole screen."""
        size = Size(0, self.source.count + 1)
        self.set_reactive(CaseTable.virtual_size, size)
        bar = self.vertical_scrollbar
        if size.height > bar.window_virtual_size * _NOTICED:
            bar.window_virtual_size = size.height

    def _keep_cursor(self) -> None:
        """Keep the cursor on its case; if that is not shown, on the row where it was."""
        if not self.source.count:
            self._set_cursor(None, 0)
            return
        position = None if self.cursor is None else self.source.position_of(self.cursor)
        if position is None:
            self.move_to(self._position)
        else:
            self._position = position

    def _set_cursor(self, index: int | None, position: int) -> None:
        old = None if self.cursor is None else self.source.position_of(self.cursor)
        moved = index != self.cursor
        self.cursor, self._position = index, position
        if moved:
            if old is not None:
                self._refresh_position(old)
            self._refresh_position(position)
            self.post_message(self.CursorMoved(self, index))

    def _reveal(self, position: int) -> None:
        top, rows = self.scroll_offset.y, self.page_rows
        if position < top:
            self.scroll_to(y=position, animate=False)
        elif rows and position >= top + rows:
            self.scroll_to(y=position - rows + 1, animate=False)

    # Drawing.

    def _refresh_position(self, position: int) -> None:
        line = position - self.scroll_offset.y + 1
        if 1 <= line < self.size.height:
            self.refresh(Region(0, line, self.size.width, 1))

    def _repaint_changed(self) -> None:
        for line in range(1, self.size.height):
            if self._painted.get(line) is not self._row_at(line):
                self.refresh(Region(0, line, self.size.width, 1))

    def _row_at(self, line: int) -> CaseSummary | None:
        position = self.scroll_offset.y + line - 1
        return self.source.at(position) if position < self.source.count else None

    def render_line(self, y: int) -> Strip:
        """Line 0 is the header; below it the rows from the scroll line on."""
        if y == 0:
            return self._header()
        row = self._painted[y] = self._row_at(y)
        if row is None:
            text = pad(
                "  " + self._empty if y == 2 and not self.source.count else "", self.size.width
            )
            return Strip([Segment(text, self._painter.style(Role.QUIET))])
        return self._row_strip(row)

    def _header(self) -> Strip:
        style = self._painter.style(Role.LABEL, "surface")
        segments, end = [], 0
        for placed in self._columns:
            title = placed.column.title
            if placed.column.name == self.source.sort_column:
                title += "▼" if self.source.descending else "▲"
            segments.append(Segment(" " * (placed.start - end) + placed.fit(title), style))
            end = placed.start + placed.width
        return Strip(segments).adjust_cell_length(self.size.width, style)

    def _row_strip(self, row: CaseSummary) -> Strip:
        state = self._state(row.index)
        known = self._strips.get((row.index, state))
        if known is not None and known[0] is row:
            return known[1]
        strip = self._draw(row, state)
        self._strips[(row.index, state)] = (row, strip)
        return strip

    def _state(self, index: int) -> int:
        """0 plain, 1 marked; 2 more under the cursor, 4 more under a cursor without focus."""
        state = 1 if index in self.source.marks else 0
        if index == self.cursor:
            state += 2 if self.has_focus else 4
        return state

    def _draw(self, row: CaseSummary, state: int) -> Strip:
        """One row; neighbours of one style share a segment, which is what painting costs by."""
        behind = _BEHIND[state]
        text = ("›" if state >= 2 else " ") + ("●" if state & 1 else " ")
        last, end = Role.KEY, GUTTER
        segments: list[Segment] = []
        for placed in self._columns:
            role = _ROLES.get(placed.column.name) or Role(row.outcome.value)
            gap = " " * (placed.start - end)
            if role is not last:
                segments.append(Segment(text + gap, self._painter.style(last, behind)))
                text, last, gap = "", role, ""
            text += gap + placed.fit(placed.column.text(row))
            end = placed.start + placed.width
        style = self._painter.style(last, behind)
        segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(self.size.width, style)

    # Events.

    def on_resize(self) -> None:
        self._columns = lay_out(self.scrollable_content_region.width)
        self._strips.clear()
        self.virtual_size = Size(0, self.source.count + 1)
        if self.cursor is not None:
            self._reveal(self.position)
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()
        self._strips.clear()

    def on_focus(self) -> None:
        self._refresh_position(self.position)

    def on_blur(self) -> None:
        self._refresh_position(self.position)

    def on_click(self, event: events.Click) -> None:
        line = event.y - self.gutter.top
        if line == 0:
            self._click_header(event.x - self.gutter.left)
            return
        row = self._row_at(line)
        if row is None:
            return
        self.following = False
        self.move_to(self.scroll_offset.y + line - 1)
        if event.chain == 2:
            self.post_message(self.Opened(self, row.index))

    def _click_header(self, x: int) -> None:
        for placed in self._columns:
            if placed.start <= x < placed.start + placed.width:
                self.post_message(self.HeaderClicked(self, placed.column.name))
