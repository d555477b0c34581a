"""What the run screen and the pair screen share: deciding on cases, and going elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from textual import work
from textual.screen import Screen

from evaltui.errors import EvaltuiError
from evaltui.models import Action
from evaltui.screens.bench import Bench, RowsChanged
from evaltui.screens.command import Situation
from evaltui.screens.failures import TellsFailures
from evaltui.screens.key_bar import KeyBar

if TYPE_CHECKING:
    from evaltui.review.acts import ActPlan, ActResult, Choices


class CaseScreen(TellsFailures, Screen[None]):
    """A screen about a current case, ``case_index``, which subclasses keep up to date."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self.case_index: int | None = None
        self.scope = "run"
        """The scope of its commands."""

    # What applies now.

    @property
    def situation(self) -> Situation:
        """Where one is, for the footer and for what keys do."""
        bench = self.bench
        row = None if self.case_index is None else bench.desk.view.row(self.case_index)
        return Situation(
            row=row,
            shown=bench.desk.view.count,
            marked=len(bench.desk.view.marks),
            live=bench.running,
            can_rerun=bench.can_rerun,
            can_edit=bench.session is not None,
            can_decide=bench.session is not None,
            keymap=bench.keymap,
            can_go_back=bench.desk.narrowed or len(self.app.screen_stack) > 1,
        )

    def refresh_keys(self) -> None:
        """Draw the footer for the current situation."""
        for bar in self.query(KeyBar):
            bar.update(self.situation)

    def complain(self, error: EvaltuiError | str) -> None:
        """Tell what went wrong; untrusted words are never markup."""
        self.notify(str(error), severity="error", timeout=8, markup=False)

    def tell(self, text: str) -> None:
        """Tell what was done."""
        self.notify(text, timeout=5, markup=False)

    # Deciding.

    def action_decide(self, action: str) -> None:
        """Decide about the current case."""
        if self.case_index is not None:
            self.decide(Action(action), [self.case_index])

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def decide(self, action: Action, indices: Sequence[int]) -> None:
        """Ask in the dialog, then commit; nothing is written before a person confirmed."""
        from evaltui.review.acts import Choices
        from evaltui.screens.decide import DecideScreen

        session, rules = self.bench.session, self.bench.rules()
        if session is None or rules is None or not indices:
            return

        def plan_again(choices: Choices) -> ActPlan:
            return session.plan(action, indices, **asdict(choices))

        try:
            plan = await asyncio.to_thread(plan_again, Choices())
            dialog = DecideScreen(plan, rules, plan_again)
            confirmed = await self.app.push_screen_wait(dialog)
            if confirmed is not None:
                session.reviewer = confirmed.form.reviewer
                result = await asyncio.to_thread(session.commit, confirmed.plan, confirmed.form)
                self.bench.desk.decided(indices)
                self.done(result)
        except EvaltuiError as error:
            self.complain(error)

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def action_resolve(self) -> None:
        """Choose from the resolutions menu what to decide about the chosen cases."""
        from evaltui.screens.resolutions import ResolutionsScreen

        chosen = self.chosen()
        action = await self.app.push_screen_wait(ResolutionsScreen(len(chosen)))
        if action is not None:
            self.decide(action, chosen)

    def chosen(self) -> list[int]:
        """The cases that a resolution is about."""
        return [] if self.case_index is None else [self.case_index]

    def done(self, result: ActResult) -> None:
        """Show an act: its rows, its message, and cases that now run on."""
        for screen in self.app.screen_stack:
            screen.post_message(RowsChanged(result.changed))
        self.tell(result.message)
        if result.rerun and self.bench.live is not None and self.bench.can_rerun:
            self.bench.live.rerun(result.rerun)

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def action_undo(self) -> None:
        """Take the last decision back."""
        await self._step_back("undo")

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def action_redo(self) -> None:
        """Put the decision that was taken back in force again."""
        await self._step_back("redo")

    async def _step_back(self, which: str) -> None:
        session = self.bench.session
        if session is None:
            return
        step = session.undo if which == "undo" else session.redo
        try:
            result = await asyncio.to_thread(step)
        except EvaltuiError as error:
            self.complain(error)
            return
        if result is None:
            self.tell(f"nothing to {which}")
        else:
            self.done(result)

    # Going elsewhere.

    def action_edit(self) -> None:
        """Open the editor at the case; the screen waits meanwhile."""
        from evaltui.screens.editing import edit

        row = self.situation.row
        place = None if row is None else self.bench.case_place(row)
        if place is not None:
            problem = edit(self.app, place)
            if problem:
                self.complain(problem)

    def action_trace(self) -> None:
        """The calls of the case."""
        from evaltui.screens.trace import TraceScreen

        if self.case_index is not None and self.bench.session is not None:
            self.app.push_screen(TraceScreen(self.bench.session, self.case_index))

    def action_back(self) -> None:
        """Go back to where one came from."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()
