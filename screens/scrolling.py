"""A screen that is one page to scroll through."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.screen import Screen

from evaltui.screens.command import Situation
from evaltui.screens.failures import TellsFailures
from evaltui.screens.key_bar import KeyBar
from evaltui.screens.keys import bindings
from evaltui.screens.page_view import PageView


class ScrollingScreen(TellsFailures, Screen[None]):
    """Moves its ``pane``; escape goes back."""

    CSS_PATH = "../styles/scrolling.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("list", "page")

    def __init__(self) -> None:
        super().__init__()
        self.pane = PageView(id="page")

    def on_mount(self) -> None:
        self.pane.focus()
        self.query_one(KeyBar).update(Situation())

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
