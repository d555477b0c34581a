"""The runs in the store, the latest first; enter opens one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from evaltui.errors import EvaltuiError
from evaltui.review.history_pages import run_line
from evaltui.review.spans import Role, line, plain_text
from evaltui.screens.bench import Bench, opened_beside
from evaltui.screens.command import Situation
from evaltui.screens.failures import TellsFailures
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.keys import bindings
from evaltui.screens.lines import LinesView

if TYPE_CHECKING:
    from evaltui.review.session import Session

_SHOWN = 500


def _counted(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


class RunsScreen(TellsFailures, Screen[None]):
    """Chooses among the runs of a session's store; escape goes back."""

    CSS_PATH = "../styles/runs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("list"),
        Binding("j", "move('down')", show=False),
        Binding("k", "move('up')", show=False),
        Binding("g", "move('first')", show=False),
        Binding("G", "move('last')", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        yield LinesView()
        yield OptionList(compact=True)
        yield KeyBar("list", "app")

    def on_mount(self) -> None:
        rows = self._session.store.runs(_SHOWN)
        title = f"the latest {_SHOWN} runs" if len(rows) == _SHOWN else _counted(len(rows), "run")
        self.query_one(LinesView).show([line(title, Role.TITLE)])
        menu = self.query_one(OptionList)
        width = max(self.app.size.width - 4, 20)
        menu.add_options(
            Option(Content(plain_text(run_line(row, width))), id=row.id) for row in rows
        )
        here = [place for place, row in enumerate(rows) if row.id == self._session.run.id]
        menu.highlighted = here[0] if here else 0
        menu.focus()
        self.query_one(KeyBar).update(Situation())

    def action_move(self, where: str) -> None:
        menu = self.query_one(OptionList)
        {
            "down": menu.action_cursor_down,
            "up": menu.action_cursor_up,
            "first": menu.action_first,
            "last": menu.action_last,
        }[where]()

    @on(OptionList.OptionSelected)
    @work(exclusive=True, exit_on_error=False)
    async def _open(self, message: OptionList.OptionSelected) -> None:
        from evaltui.screens.run import RunScreen

        run_id = message.option.id or ""
        if run_id == self._session.run.id:
            self.app.pop_screen()
            return
        try:
            session = await asyncio.to_thread(opened_beside, self._session, run_id)
        except EvaltuiError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.app.push_screen(RunScreen(Bench(session=session)))

    def action_back(self) -> None:
        self.app.pop_screen()
