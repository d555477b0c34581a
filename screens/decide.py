"""The dialog before every act: what exactly changes, who decides, why, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Button, Input, Label, Select, Static

from evaltui.errors import EvaltuiError
from evaltui.models import Action
from evaltui.review.acts import ActPlan, Choices, DecisionForm
from evaltui.review.form import (
    TITLES,
    Field,
    FormRules,
    fields_of,
    plan_page,
    read_form,
    starting_texts,
)
from evaltui.screens.failures import TellsFailures
from evaltui.screens.page_view import PageView
from evaltui.text import safe

_STILL_S = 0.2
_WIDTH = 90
"""Of the dialog, as in its stylesheet."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An act that a person confirmed, as it was shown last."""

    plan: ActPlan
    form: DecisionForm


class FieldRow(Vertical):
    """A label, its input or choice, and below them what is wrong with it."""

    def __init__(self, field: Field, text: str) -> None:
        super().__init__(id=f"field-{field.name}")
        self._field = field
        self.field_name = field.name
        self._text = text

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label(self._field.label)
            if self._field.options:
                options = [(words, value) for value, words in self._field.options]
                known = {value for _, value in options}
                yield Select(
                    options,
                    prompt="choose",
                    compact=True,
                    value=self._text if self._text in known else Select.NULL,
                )
            else:
                yield Input(self._text, placeholder=self._field.hint, compact=True)
        yield Static(classes="problem")

    @property
    def text(self) -> str:
        """What the field holds."""
        if not self._field.options:
            return self.query_one(Input).value
        value = self.query_one(Select).value
        return value if isinstance(value, str) else ""

    @text.setter
    def text(self, text: str) -> None:
        if self._field.options:
            self.query_one(Select).value = text
        else:
            self.query_one(Input).value = text

    def show_problem(self, text: str) -> None:
        """Say what is wrong, or nothing."""
        self.query_one(".problem", Static).update(Content(safe(text)))
        self.set_class(bool(text), "-wrong")

    def enter(self) -> None:
        """Put the focus here."""
        self.query("Input, Select").first().focus()


class DecideScreen(TellsFailures, ModalScreen[Confirmed | None]):
    """Answers what was confirmed, None when the dialog was left."""

    CSS_PATH = "../styles/decide.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", show=False),
        Binding("ctrl+s", "confirm", "confirm", show=False),
    ]

    def __init__(
        self,
        plan: ActPlan,
        rules: FormRules,
        plan_again: Callable[[Choices], ActPlan] | None = None,
    ) -> None:
        super().__init__()
        self.plan = plan
        self._rules = rules
        self._plan_again = plan_again
        self._fields = fields_of(plan) if plan.possible else ()
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        texts = starting_texts(self.plan, self._rules)
        with Vertical(id="dialog"):
            yield self._effects()
            with VerticalScroll(id="fields", can_focus=False):
                for field in self._fields:
                    yield FieldRow(field, texts.get(field.name, ""))
            with Horizontal(id="buttons"):
                if self._fields:
                    yield Button("Confirm ^s", id="confirm", variant="primary", compact=True)
                yield Button("Cancel esc", id="cancel", compact=True)

    def on_mount(self) -> None:
        dialog = self.query_one("#dialog")
        dialog.border_title = Content(TITLES[self.plan.action])
        dialog.border_subtitle = "tab next field · enter confirms · esc cancels"
        rows = list(self.query(FieldRow))
        empty = [row for row in rows if not row.text]
        for row in (empty or rows)[:1]:
            row.enter()

    def _effects(self) -> PageView:
        """The plan, laid out for the width to come, so that the first frame is right."""
        view = PageView(id="effects")
        view.page = plan_page(self.plan, min(_WIDTH, self.app.size.width) - 5)
        view.styles.height = self._effects_height(len(view.page.lines))
        return view

    def _effects_height(self, lines: int) -> int:
        return max(min(lines, self.app.size.height // 3), 1)

    @on(PageView.Resized)
    def _draw_plan(self) -> None:
        view = self.query_one(PageView)
        page = plan_page(self.plan, view.page_width)
        view.styles.height = self._effects_height(len(page.lines))
        view.show(page)

    @property
    def texts(self) -> dict[str, str]:
        """What the fields hold, by name."""
        return {row.field_name: row.text for row in self.query(FieldRow)}

    def fill(self, **texts: str) -> None:
        """Put texts into fields, by name."""
        for name, text in texts.items():
            self.query_one(f"#field-{name}", FieldRow).text = text

    # Confirming.

    @on(Button.Pressed, "#confirm")
    @on(Input.Submitted)
    def action_confirm(self) -> None:
        """Check the form; close only when everything is right."""
        if not self._fields:
            return
        reading = read_form(self.plan, self.texts, self._rules)
        rows = {row.field_name: row for row in self.query(FieldRow)}
        for name, row in rows.items():
            row.show_problem(reading.errors.get(name, ""))
        if reading.form is None:
            rows[next(iter(reading.errors))].enter()
        elif self._needs_new_plan():
            self._confirm_after_planning(reading.form)
        else:
            self.dismiss(Confirmed(self.plan, reading.form))

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Leave; nothing was written."""
        self.dismiss(None)

    # Widening: the plan follows the number.

    @on(Input.Changed)
    @on(Select.Changed)
    def _changed(self) -> None:
        if self._needs_new_plan():
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_timer(_STILL_S, self._refresh_plan)

    @property
    def _choices(self) -> Choices:
        texts = self.texts
        tolerance = texts.get("tolerance", "").strip() or None
        return replace(self.plan.choices, tolerance=tolerance, scope=texts.get("reach") or None)

    def _needs_new_plan(self) -> bool:
        if self.plan.action is not Action.WIDEN_TOLERANCE or self._plan_again is None:
            return False
        wanted, texts = self._choices, self.texts
        known = (self.plan.tolerance, self.plan.choices.scope or "check")
        return bool(texts) and (wanted.tolerance, wanted.scope) != known

    @work(exclusive=True, group="plan", exit_on_error=False)
    async def _refresh_plan(self) -> None:
        await self._make_plan()

    @work(exclusive=True, group="plan", exit_on_error=False)
    async def _confirm_after_planning(self, form: DecisionForm) -> None:
        if await self._make_plan() and self.plan.possible:
            self.dismiss(Confirmed(self.plan, form))

    async def _make_plan(self) -> bool:
        if self._plan_again is None:
            return False
        row = self.query_one("#field-tolerance", FieldRow)
        try:
            self.plan = await asyncio.to_thread(self._plan_again, self._choices)
        except EvaltuiError as error:
            row.show_problem(str(error))
            return False
        row.show_problem("")
        self._draw_plan()
        return True
