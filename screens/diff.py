"""The pair of one case: old and current, and everything that helps to decide between them."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.worker import get_current_worker

from evaltui.errors import EvaltuiError
from evaltui.review.case_pages import case_title, diff_page
from evaltui.review.pages import Page
from evaltui.review.spans import Line, Role, Span, line
from evaltui.screens.bench import Bench, RowsChanged
from evaltui.screens.case_screen import CaseScreen
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.keys import bindings
from evaltui.screens.lines import LinesView
from evaltui.screens.page_view import PageView


class DiffScreen(CaseScreen):
    """One case; ``J`` and ``K`` walk the cases of the table without leaving."""

    CSS_PATH = "../styles/diff.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("diff", "page")

    class Ready(Message):
        """The pages of a case were laid out, or could not be."""

        def __init__(self, index: int, title: Line, page: Page, keep_scroll: bool) -> None:
            super().__init__()
            self.index = index
            self.title = title
            self.page = page
            self.keep_scroll = keep_scroll

    def __init__(self, bench: Bench, index: int) -> None:
        super().__init__(bench)
        self.scope = "diff"
        self.case_index = index
        self.pane = PageView(id="pair")
        self._side_by_side: bool | None = None
        self._title: Line = ()
        self._said = ""

    def compose(self) -> ComposeResult:
        yield LinesView()
        yield self.pane
        yield KeyBar("diff", "app")

    def on_mount(self) -> None:
        self.pane.focus()
        self.pane.say("comparing …")
        self.refresh_keys()

    @on(PageView.Resized)
    def _resized(self) -> None:
        self._load(keep_scroll=True)

    def on_rows_changed(self, message: RowsChanged) -> None:
        if any(row.index == self.case_index for row in message.rows):
            self._load(keep_scroll=True)
        self.refresh_keys()

    def _load(self, *, keep_scroll: bool) -> None:
        if self.case_index is not None:
            self._lay_out(self.case_index, self.pane.page_width, keep_scroll)

    @work(thread=True, exclusive=True, group="pair", exit_on_error=False)
    def _lay_out(self, index: int, width: int, keep_scroll: bool) -> None:
        session = self.bench.session
        if session is None:
            return
        try:
            detail = session.detail(index)
            title = case_title(detail)
            page = diff_page(detail, width, side_by_side=self._side_by_side)
        except EvaltuiError as error:
            title, page = line("this case cannot be shown", Role.ERROR), Page((line(str(error)),))
        if not get_current_worker().is_cancelled:
            self.post_message(self.Ready(index, title, page, keep_scroll))

    @on(Ready)
    def _ready(self, message: Ready) -> None:
        if message.index != self.case_index:
            return
        self._title = message.title
        self.pane.show(message.page, keep_scroll=message.keep_scroll)
        self._draw_title()

    def tell(self, text: str) -> None:
        """Say in the head what was done, until the next key."""
        self._said = text
        self._draw_title()

    def _draw_title(self) -> None:
        view, changes = self.bench.desk.view, len(self.pane.page.changes)
        position = None if self.case_index is None else view.position_of(self.case_index)
        where = f"case {position + 1:,} of {view.count:,}" if position is not None else "not shown"
        if self.pane.change >= 0:
            where += f" · change {self.pane.change + 1} of {changes}"
        elif changes:
            where += f" · {changes} change" + ("" if changes == 1 else "s")
        else:
            where += " · nothing changed"
        second: Line = (Span(where, Role.QUIET),)
        if self._said:
            second = (*second, Span("  "), *line(self._said, Role.DECISION))
            self._said = ""
        self.query_one(LinesView).show([self._title, second])

    # Moving.

    def action_change(self, step: int) -> None:
        if self.pane.go_to_change(step):
            self._draw_title()
        else:
            self.tell("no further change in this case" if step > 0 else "no change before this one")

    def action_case(self, step: int) -> None:
        view = self.bench.desk.view
        position = None if self.case_index is None else view.position_of(self.case_index)
        target = (0 if step > 0 else view.count - 1) if position is None else position + step
        if 0 <= target < view.count:
            self._go_to(view.at(target).index)
        else:
            self.tell("this is the last case" if step > 0 else "this is the first case")

    def action_next_red(self, step: int) -> None:
        view = self.bench.desk.view
        position = None if self.case_index is None else view.position_of(self.case_index)
        target = self.bench.desk.next_position(position or 0, step)
        if target is None:
            self.tell("no red case is shown")
        else:
            self._go_to(view.at(target).index)

    def _go_to(self, index: int) -> None:
        self.case_index = index
        self._load(keep_scroll=False)
        self.refresh_keys()

    def action_layout(self) -> None:
        """Beside each other, or one above the other."""
        now = self._side_by_side
        wide = self.pane.page_width >= 100 if now is None else now
        self._side_by_side = not wide
        self._load(keep_scroll=True)

    def action_down(self) -> None:
        self.pane.scroll_lines(1)

    def action_up(self) -> None:
        self.pane.scroll_lines(-1)

    def action_page(self, direction: int) -> None:
        self.pane.scroll_pages(direction)

    def action_first(self) -> None:
        self.pane.scroll_to(y=0, animate=False)

    def action_last(self) -> None:
        self.pane.scroll_to(y=len(self.pane.page.lines), animate=False)
