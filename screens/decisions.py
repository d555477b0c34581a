"""The decisions of the project: who decided what, why, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult

from evaltui.review.history_pages import decisions_of, decisions_page
from evaltui.review.spans import Role, line
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.lines import LinesView
from evaltui.screens.page_view import PageView
from evaltui.screens.scrolling import ScrollingScreen

if TYPE_CHECKING:
    from evaltui.review.session import Session


class DecisionsScreen(ScrollingScreen):
    """Lists the decisions of every folder of a session, the newest first."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        yield LinesView()
        yield self.pane
        yield KeyBar("list", "app")

    @on(PageView.Resized)
    def _resized(self, message: PageView.Resized) -> None:
        session = self._session
        decisions = decisions_of(session.context)
        title = f"{len(decisions):,} decision" + ("" if len(decisions) == 1 else "s")
        self.query_one(LinesView).show([line(title, Role.TITLE)])
        page = decisions_page(decisions, session.clock.today(), message.width)
        self.pane.show(page, keep_scroll=True)
