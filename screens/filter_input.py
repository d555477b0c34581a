"""Where a filter is typed."""

from __future__ import annotations

from textual import events, on
from textual.message import Message
from textual.widgets import Input

_HINT = "words  outcome:fail  class:  slice:  check:  decided:no  !not · enter keeps, esc drops"


class FilterInput(Input):
    """One line of text; enter keeps it, escape drops it."""

    class Edited(Message):
        """The text is another one."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter was pressed."""

    class Dropped(Message):
        """Escape was pressed."""

    def __init__(self, text: str) -> None:
        super().__init__(text, placeholder=_HINT, compact=True, select_on_focus=False)

    @on(Input.Changed)
    def _edited(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Edited(message.value))

    @on(Input.Submitted)
    def _kept(self, message: Input.Submitted) -> None:
        message.stop()
        self.post_message(self.Kept())

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.post_message(self.Dropped())
