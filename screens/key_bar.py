"""The footer: the keys that apply now, the most useful first, as many as fit."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from evaltui.review.spans import Line, Role, Span, width_of
from evaltui.screens.command import Command, Situation
from evaltui.screens.keys import footer_items
from evaltui.screens.roles import Painter


class KeyBar(Widget):
    """One line of keys and labels; a click does what the key does."""

    def __init__(self, *scopes: str) -> None:
        super().__init__()
        self._scopes = scopes
        self._items: list[Command] = []
        self._painter = Painter(self)

    def update(self, now: Situation) -> None:
        """Show the commands of a situation."""
        items = footer_items(now, *self._scopes)
        if items != self._items:
            self._items = items
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """All on line 0."""
        spans = [span for _, item in self._placed() for span in _spans(item)]
        return self._painter.strip(tuple(spans), self.size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Always one line."""
        return 1

    def _placed(self) -> list[tuple[int, Command]]:
        """The commands that fit, with the cell each starts at; help and quit always come last."""
        kept: list[tuple[int, Command]] = []
        last = [item for item in self._items if item.id in ("go.help", "go.quit")]
        room = self.size.width - sum(width_of(_spans(item)) for item in last)
        start = 0
        for item in self._items:
            size = width_of(_spans(item))
            if item not in last and start + size <= room:
                kept.append((start, item))
                start += size
        for item in last:
            kept.append((start, item))
            start += width_of(_spans(item))
        return kept

    async def on_click(self, event: events.Click) -> None:
        for start, item in reversed(self._placed()):
            if event.x >= start:
                await self.screen.run_action(item.action)
                return

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()


def _spans(command: Command) -> Line:
    return (
        Span(" "),
        Span(command.key_text, Role.KEY),
        Span(f" {command.label} ", Role.QUIET),
    )
