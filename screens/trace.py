"""The calls of one case: when each was made, what went out, what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.message import Message

from evaltui.errors import EvaltuiError
from evaltui.review.case_pages import case_title, trace_page
from evaltui.review.pages import Page
from evaltui.review.spans import Line, Role, line
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.lines import LinesView
from evaltui.screens.page_view import PageView
from evaltui.screens.scrolling import ScrollingScreen

if TYPE_CHECKING:
    from evaltui.review.session import Session


class TraceScreen(ScrollingScreen):
    """Shows one case of a session; escape goes back."""

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

    def compose(self) -> ComposeResult:
        yield LinesView()
        yield self.pane
        yield KeyBar("list", "app")

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
