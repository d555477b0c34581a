"""A few lines with roles that do not scroll."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip
from textual.widget import Widget

from evaltui.review.spans import Line
from evaltui.screens.roles import Painter


class LinesView(Widget):
    """Draws the lines it was given last, cut at its right edge."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Line] = []
        self._painter = Painter(self)

    def show(self, lines: Sequence[Line]) -> None:
        """Draw again if a line changed."""
        if list(lines) != self._lines:
            self._lines = list(lines)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One of the lines; blank below them."""
        spans = self._lines[y] if y < len(self._lines) else ()
        return self._painter.strip(spans, self.size.width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()
