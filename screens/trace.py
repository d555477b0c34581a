"""The calls of one case: when each was made, what went out, what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from evaltui.errors import EvaltuiError
from evaltui.review.case_pages import case_title, trace_page
from evaltui.review.pages import Page
from evaltui.review.spans import Line, Role, line
from evaltui.screens.commands import bindings
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.lines import LinesView
from evaltui.screens.page_view import PageView

if TYPE_CHECKING:
    from evaltui.review.session import Session


class TraceScreen(Screen[None]):
    """Shows one case of a session; escape goes back."""

    CSS_PATH = "../styles/trace.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("list", "page")

    class Ready(Message):
        """The page was laid out."""

        def __init__(self, title: Line, page: Page) -> None:
            super().__init__()
            self.title = title
            self.page = page

    def __init__(self, session: Session, index: int) -> None:
        super().__init__()
        self._session = session
        self._index = index
        self.pane = PageView(id="trace")

    def compose(self) -> ComposeResult:
        yield LinesView()
        yield self.pane
        yield KeyBar("list", "app")

    def on_mount(self) -> None:
        self.pane.focus()

    @on(PageView.Resized)
    def _resized(self, message: PageView.Resized) -> None:
        self._lay_out(message.width)

    @work(thread=True, exclusive=True, group="trace", exit_on_error=False)
    def _lay_out(self, width: int) -> None:
        try:
            detail = self._session.detail(self._index)
            self.post_message(self.Ready(case_title(detail), trace_page(detail, width)))
        except EvaltuiError as error:
            self.post_message(self.Ready(line(str(error), Role.ERROR), Page(())))

    @on(Ready)
    def _ready(self, message: Ready) -> None:
        self.query_one(LinesView).show([message.title])
        self.pane.show(message.page, keep_scroll=True)

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

    def action_back(self) -> None:
        self.app.pop_screen()
