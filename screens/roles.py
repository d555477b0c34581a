"""Draws lines whose parts have roles: the one place where a role gets its style.

Styles are made from theme variables by name. Textual's component classes would say the same in a
stylesheet, at the price of one more node to style for every role of every widget.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.strip import Strip
from textual.widget import Widget

from evaltui.review.spans import Line, Role


@dataclass(frozen=True, slots=True)
class Look:
    """Theme variables of a role's colours; without a background it takes what is behind it."""

    colour: str = "foreground"
    background: str = ""
    bold: bool = False
    underline: bool = False


LOOKS = {
    Role.PLAIN: Look(),
    Role.QUIET: Look("quiet"),
    Role.TITLE: Look("primary", bold=True),
    Role.LABEL: Look("secondary"),
    Role.OLD: Look(background="line-old"),
    Role.NEW: Look(background="line-new"),
    Role.OLD_WORD: Look(background="word-old", bold=True),
    Role.NEW_WORD: Look(background="word-new", bold=True),
    Role.PASS: Look("outcome-pass"),
    Role.FAIL: Look("outcome-fail", bold=True),
    Role.REVIEW: Look("outcome-review", bold=True),
    Role.ERROR: Look("outcome-error", bold=True),
    Role.SUSPENDED: Look("outcome-suspended", bold=True),
    Role.SKIPPED: Look("outcome-skipped"),
    Role.DECISION: Look("accent"),
    Role.BAR: Look("primary"),
    Role.KEY: Look("primary", bold=True),
}


class Painter:
    """Turns lines into strips in the theme of one widget; forget styles when the theme changes."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[tuple[Role, str], Style] = {}

    def forget(self) -> None:
        """Drop styles that were looked up."""
        self._styles.clear()

    def strip(self, spans: Line, width: int) -> Strip:
        """One line in exactly ``width`` cells."""
        segments = [Segment(span.text, self.style(span.role)) for span in spans]
        return Strip(segments).adjust_cell_length(width, self._widget.rich_style)

    def style(self, role: Role, behind: str = "") -> Style:
        """The style of a role; ``behind`` names the variable of a background below its own."""
        style = self._styles.get((role, behind))
        if style is None:
            look = LOOKS[role]
            style = self._widget.rich_style + Style(
                color=self._colour(look.colour),
                bgcolor=self._colour(look.background or behind),
                bold=look.bold or None,
                underline=look.underline or None,
            )
            self._styles[(role, behind)] = style
        return style

    def _colour(self, name: str) -> str | None:
        value = self._widget.app.theme_variables.get(name, "")
        try:
            return Color.parse(value).rich_color.name if value else None
        except ColorParseError:
            return None
