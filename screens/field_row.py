"""One field of a form: a label, an input or a choice, and below them what is wrong with it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, OptionList, Select, Static

from evaltui.review.form import Field
from evaltui.text import one_line, safe

_NAME = 28
"""Cells that an input keeps, whatever stands beside it."""


class Choice(Select[str]):
    """A select whose list opens on its first option, and which says when one was picked."""

    class Picked(Message):
        """An option was picked, be it the one that was held already."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> Choice:
            return self.choice

    def action_show_overlay(self) -> None:
        """Open the list; with nothing chosen yet, on the first option rather than on the prompt."""
        super().action_show_overlay()
        if self.is_blank():
            self.query_one("SelectOverlay", OptionList).highlighted = 1

    def on_select_overlay_update_selection(self) -> None:
        self.post_message(self.Picked(self))


class FieldRow(Vertical):
    """A field of a form.

    ``note`` stands beside the input for as long as it holds the text that it began with; ``width``
    is that of the whole row.
    """

    def __init__(
        self, field: Field, text: str, note: str = "", *, label_width: int, width: int
    ) -> None:
        super().__init__(id=f"field-{field.name}")
        self._field = field
        self.field_name = field.name
        self._text = text
        self._note = note
        self._label_width = label_width
        self._width = width

    def compose(self) -> ComposeResult:
        with Horizontal():
            label = Label(self._field.label)
            label.styles.width = self._label_width
            yield label
            if self._field.options:
                options = [(words, value) for value, words in self._field.options]
                known = {value for _, value in options}
                yield Choice(
                    options,
                    prompt="choose",
                    compact=True,
                    value=self._text if self._text in known else Select.NULL,
                )
            else:
                yield Input(self._text, placeholder=self._field.hint, compact=True)
                if self._note:
                    yield self._beside()
        problem = Static(classes="problem")
        problem.styles.padding = (0, 0, 0, self._label_width)
        yield problem

    def _beside(self) -> Label:
        note = Label(Content(one_line(self._note, 200)), classes="note")
        note.styles.max_width = max(self._width - self._label_width - _NAME, 0)
        return note

    @property
    def text(self) -> str:
        """What the field holds."""
        if not self._field.options:
            return self.query_one(Input).value
        value = self.query_one(Choice).value
        return value if isinstance(value, str) else ""

    @text.setter
    def text(self, text: str) -> None:
        if self._field.options:
            self.query_one(Choice).value = text
        else:
            self.query_one(Input).value = text

    @on(Input.Changed)
    def _show_note(self, message: Input.Changed) -> None:
        for note in self.query(".note"):
            note.display = message.value == self._text

    def show_problem(self, text: str) -> None:
        """Say what is wrong, or nothing."""
        self.query_one(".problem", Static).update(Content(safe(text)))
        self.set_class(bool(text), "-wrong")

    def enter(self) -> None:
        """Put the focus here."""
        self.query("Input, Choice").first().focus()
