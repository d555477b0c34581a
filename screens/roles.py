"""Draws lines whose parts have roles: the one place where a role gets its style."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from evaltui.review.spans import Line, Role

ROLE_CLASSES = {f"role--{role}" for role in Role}


class Painter:
    """Turns lines into strips in the styles of one widget; forget them when the theme changes."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[Role, Style] = {}

    def forget(self) -> None:
        """Drop styles that were looked up."""
        self._styles.clear()

    def strip(self, spans: Line, width: int) -> Strip:
        """One line in exactly ``width`` cells."""
        segments = [Segment(span.text, self.style(span.role)) for span in spans]
        return Strip(segments).adjust_cell_length(width, self._widget.rich_style)

    def style(self, role: Role) -> Style:
        """The style of a role on the background of the widget."""
        if role not in self._styles:
            own = self._widget.get_component_rich_style(f"role--{role}", partial=True)
            self._styles[role] = self._widget.rich_style + own
        return self._styles[role]
