"""The line under the table: what is shown, and the place where a filter is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from evaltui.review.spans import Line, Role, line
from evaltui.screens.roles import Painter
from evaltui.text import clip

if TYPE_CHECKING:
    from evaltui.screens.filter_input import FilterInput

_MESSAGE_S = 5.0


class StatusText(Widget):
    """One line in one role, clipped."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._role = Role.QUIET
        self._painter = Painter(self)

    def say(self, text: str, role: Role) -> None:
        """Show a text."""
        if (text, role) != (self._text, self._role):
            self._text, self._role = text, role
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """All on line 0."""
        spans: Line = line(clip(self._text, self.size.width), self._role) if y == 0 else ()
        return self._painter.strip(spans, self.size.width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()


class FilterLine(Horizontal):
    """Says what is shown; ``ask`` turns it into an input until enter or escape."""

    class Changed(Message):
        """The text of the filter is another one."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Closed(Message):
        """Typing is over."""

    def __init__(self) -> None:
        super().__init__()
        self._status = StatusText()
        self._state = ("", Role.QUIET)
        self._message: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self._status

    def say(self, text: str, *, problem: bool = False) -> None:
        """Show the state of the table, or a problem, once no message stands in its place."""
        self._state = (text, Role.ERROR if problem else Role.QUIET)
        if not self.asking and self._message is None:
            self._status.say(*self._state)

    def flash(self, text: str) -> None:
        """Show what was just done for a few seconds, then the state of the table again."""
        if self._message is not None:
            self._message.stop()
        self._message = self.set_timer(_MESSAGE_S, self._message_over)
        self._status.say(text, Role.DECISION)

    def _message_over(self) -> None:
        self._message = None
        if not self.asking:
            self._status.say(*self._state)

    def warn(self, text: str) -> None:
        """Show what is wrong with the filter being typed; empty when nothing is."""
        self._status.say(text, Role.ERROR)

    @property
    def asking(self) -> bool:
        """Whether a filter is being typed."""
        return self.has_class("-asking")

    def ask(self, text: str) -> None:
        """Let a person type a filter, starting from ``text``."""
        from evaltui.screens.filter_input import FilterInput

        if self.asking:
            return
        self.add_class("-asking")
        self._status.say("", Role.QUIET)
        field = FilterInput(text)
        self.mount(field, before=self._status)
        field.focus()

    def on_filter_input_edited(self, message: FilterInput.Edited) -> None:
        if self.asking:
            self.post_message(self.Changed(message.text))

    def on_filter_input_kept(self) -> None:
        self._close()

    def on_filter_input_dropped(self) -> None:
        self.post_message(self.Changed(""))
        self._close()

    def _close(self) -> None:
        self.remove_class("-asking")
        self.query("FilterInput").remove()
        self.post_message(self.Closed())
