"""The preview pane: follows the cursor once it has been still; laid out off the UI thread."""

from __future__ import annotations

from textual import on, work
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from evaltui.errors import EvaltuiError
from evaltui.review.pages import Page
from evaltui.review.spans import Role
from evaltui.screens.bench import Bench
from evaltui.screens.failures import TellsFailures
from evaltui.screens.page_view import PageView

STILL_S = 0.12


class CasePreview(TellsFailures, PageView):
    """Shows one case of the bench's session."""

    class Ready(Message):
        """A page was laid out, or could not be."""

        def __init__(self, index: int, page: Page | None, problem: str = "") -> None:
            super().__init__()
            self.index = index
            self.page = page
            self.problem = problem

    def __init__(self, bench: Bench) -> None:
        super().__init__(id="preview")
        self._bench = bench
        self._index: int | None = None
        self.waiting: Timer | None = None
        """Runs while the cursor has not been still for long enough."""

    def follow(self, index: int | None) -> None:
        """Show a case as soon as the cursor has rested on it for 120 ms."""
        self._index = index
        if self.waiting is not None:
            self.waiting.stop()
        self.waiting = self.set_timer(STILL_S, self.load)

    def load(self) -> None:
        """Show the case now."""
        if self.waiting is not None:
            self.waiting.stop()
            self.waiting = None
        if self._index is None:
            self.say("")
        elif self.display and self._bench.session is not None:
            self._lay_out(self._index, self.page_width)

    @work(thread=True, exclusive=True, group="preview", exit_on_error=False)
    def _lay_out(self, index: int, width: int) -> None:
        from evaltui.review.case_pages import preview_page

        session = self._bench.session
        if session is None:
            return
        page, problem = None, ""
        try:
            page = preview_page(session.detail(index), width, self.size.height)
        except EvaltuiError as error:
            problem = str(error)
        if not get_current_worker().is_cancelled:
            self.post_message(self.Ready(index, page, problem))

    @on(Ready)
    def _ready(self, message: Ready) -> None:
        if message.index != self._index:
            return
        if message.page is None:
            self.say(message.problem, Role.ERROR)
        else:
            self.show(message.page)

    @on(PageView.Resized)
    def _resized(self) -> None:
        self.load()
