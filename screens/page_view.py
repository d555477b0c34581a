"""A pane that scrolls over a page of lines and draws only those on screen."""

from __future__ import annotations

from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from evaltui.review.pages import Page
from evaltui.review.spans import Line, Role, line
from evaltui.screens.roles import Painter

_CURRENT = Style(underline=True)
"""The change that was jumped to."""


class PageView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a ``Page``; asks for a new one when its width changes."""

    class Resized(Message):
        """The page has to be laid out again for ``width`` cells."""

        def __init__(self, view: PageView, width: int) -> None:
            super().__init__()
            self.view = view
            self.width = width

        @property
        def control(self) -> PageView:
            return self.view

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.page = Page(())
        self.change = -1
        """Which change of the page was jumped to last, -1 for none."""
        self._painter = Painter(self)
        self._strips: LRUCache[int, Strip] = LRUCache(512)
        self._width = 0

    @property
    def page_width(self) -> int:
        """Cells a line of the page may take."""
        return max(self.scrollable_content_region.width, 1)

    def show(self, page: Page, *, keep_scroll: bool = False) -> None:
        """Draw another page, from its top unless ``keep_scroll``."""
        self.page = page
        self.change = min(self.change, len(page.changes) - 1) if keep_scroll else -1
        self._strips.clear()
        self.virtual_size = Size(0, len(page.lines))
        if not keep_scroll:
            self.scroll_to(y=0, animate=False)
        self.refresh()

    def say(self, text: str, role: Role = Role.QUIET) -> None:
        """Show one sentence instead of a page."""
        self.show(Page((line(text, role),)))

    def scroll_lines(self, count: int) -> None:
        """Scroll down (or up, if negative)."""
        self.scroll_to(y=self.scroll_offset.y + count, animate=False)

    def scroll_pages(self, count: int) -> None:
        """Scroll by screens less one line."""
        self.scroll_lines(count * max(self.size.height - 1, 1))

    def go_to_change(self, step: int) -> bool:
        """Jump to the next (1) or previous (-1) change; answers whether there is one."""
        target = self.change + step
        if not 0 <= target < len(self.page.changes):
            return False
        self.change = target
        place = self.page.changes[target]
        self.scroll_to(y=max(place - self.size.height // 3, 0), animate=False)
        self._strips.clear()
        self.refresh()
        return True

    def render_line(self, y: int) -> Strip:
        """The line of the page at screen line ``y``."""
        number = self.scroll_offset.y + y
        if number >= len(self.page.lines):
            return Strip.blank(self.size.width, self.rich_style)
        strip = self._strips.get(number)
        if strip is None:
            strip = self._strips[number] = self._draw(number)
        return strip

    def _draw(self, number: int) -> Strip:
        spans: Line = self.page.lines[number]
        strip = self._painter.strip(spans, self.size.width)
        if self.change >= 0 and number == self.page.changes[self.change]:
            strip = strip.apply_style(_CURRENT)
        return strip

    def on_resize(self) -> None:
        self._strips.clear()
        if self.page_width != self._width:
            self._width = self.page_width
            self.post_message(self.Resized(self, self._width))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()
        self._strips.clear()
