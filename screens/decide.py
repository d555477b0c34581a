"""The dialog before every act: what exactly changes, who decides, why, and until when."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterator
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
from textual.widgets import Button, Input, Select

from evaltui.errors import EvaltuiError
from evaltui.models import Action
from evaltui.review.acts import ActPlan, Choices, DecisionForm
from evaltui.review.form import (
    TITLES,
    FormRules,
    fields_of,
    plan_page,
    read_form,
    starting_notes,
    starting_texts,
)
from evaltui.review.spans import Role, line
from evaltui.screens.failures import TellsFailures
from evaltui.screens.field_row import Choice, FieldRow
from evaltui.screens.lines import LinesView
from evaltui.screens.page_view import PageView
from evaltui.text import cells

_STILL_S = 0.2
_HOW = "tab next field · enter confirms · esc cancels"
_WIDTH = 90
"""Of the dialog, as in its stylesheet."""
_AROUND = 10
"""Lines of the dialog that are neither plan nor field: frame, buttons, gaps, and some problems."""
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An act that a person confirmed, as it was shown last."""

    plan: ActPlan
    form: DecisionForm


class DecideScreen(TellsFailures, ModalScreen[Confirmed | None]):
    """Answers what was confirmed, None when the dialog was left."""

    CSS_PATH = "../styles/decide.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", show=False),
        Binding("ctrl+s", "confirm", "confirm", show=False),
        Binding("pagedown", "plan_page(1)", "page down", show=False),
        Binding("pageup", "plan_page(-1)", "page up", show=False),
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
        with Vertical(id="dialog"):
            yield self._effects()
            yield LinesView(id="more")
            with VerticalScroll(id="fields", can_focus=False):
                yield from self._rows()
            with Horizontal(id="buttons"):
                if self._fields:
                    yield Button("Confirm ^s", id="confirm", variant="primary", compact=True)
                word = "Cancel" if self._fields else "Close"
                yield Button(f"{word} esc", id="cancel", compact=True)

    def _rows(self) -> Iterator[FieldRow]:
        texts = starting_texts(self.plan, self._rules)
        notes = starting_notes(self.plan, self._rules)
        label = max((cells(field.label) for field in self._fields), default=0) + 3
        for field in self._fields:
            name = field.name
            yield FieldRow(
                field,
                texts.get(name, ""),
                notes.get(name, ""),
                label_width=label,
                width=self._inner_width,
            )

    @property
    def _inner_width(self) -> int:
        return min(_WIDTH, self.app.size.width) - 4

    def on_mount(self) -> None:
        dialog = self.query_one("#dialog")
        dialog.border_title = Content(TITLES[self.plan.action])
        dialog.border_subtitle = _HOW if self._fields else "esc closes"
        self.watch(self.query_one(PageView), "scroll_y", self._say_what_is_shown, init=False)
        rows = list(self.query(FieldRow))
        empty = [row for row in rows if not row.text]
        for row in (empty or rows)[:1]:
            row.enter()

    def _effects(self) -> PageView:
        """The plan, laid out for the width to come, so that the first frame is right."""
        view = PageView(id="effects")
        view.can_focus = False
        view.page = plan_page(self.plan, self._inner_width - 1)
        view.styles.height = self._effects_height(len(view.page.lines))
        return view

    def _effects_height(self, lines: int) -> int:
        room = max(self.app.size.height - len(self._fields) - _AROUND, _LEAST)
        return max(min(lines, room), 1)

    @on(PageView.Resized)
    def _draw_plan(self) -> None:
        view = self.query_one(PageView)
        page = plan_page(self.plan, view.page_width)
        view.styles.height = self._effects_height(len(page.lines))
        view.show(page)
        self._say_what_is_shown()

    def action_plan_page(self, direction: int) -> None:
        """Scroll what changes, wherever the focus is."""
        self.query_one(PageView).scroll_pages(direction)

    def _say_what_is_shown(self) -> None:
        """Which part of the changes is in sight, unless all of them are."""
        view, more = self.query_one(PageView), self.query_one("#more", LinesView)
        height = self._effects_height(len(view.page.lines))
        more.display = len(view.page.lines) > height
        top = view.scroll_offset.y
        begins = view.page.changes
        before = bisect_left(begins, top)
        shown = bisect_left(begins, top + height) - before
        part = f"{before + 1} to {before + shown}" if before else f"{shown}"
        keys = "PgUp" if top + height >= len(view.page.lines) else "PgDn"
        more.show([line(f"showing {part} of {len(begins)}, {keys}", Role.REVIEW)])

    @property
    def texts(self) -> dict[str, str]:
        """What the fields hold, by name."""
        return {row.field_name: row.text for row in self.query(FieldRow)}

    def fill(self, **texts: str) -> None:
        """Put texts into fields, by name."""
        for name, text in texts.items():
            self.query_one(f"#field-{name}", FieldRow).text = text

    @on(Choice.Picked)
    def _go_on(self, message: Choice.Picked) -> None:
        """After a choice comes the next field; after the last one, confirming."""
        rows = list(self.query(FieldRow))
        following = rows[[message.choice in row.query(Choice) for row in rows].index(True) + 1 :]
        if following:
            following[0].enter()
        else:
            self.query_one("#confirm", Button).focus()

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
