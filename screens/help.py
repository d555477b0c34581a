"""The help page: every command, from the table that the keys come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from evaltui.review.pages import Page, PageWriter
from evaltui.review.spans import Role
from evaltui.screens.command import Command
from evaltui.screens.commands import COMMANDS
from evaltui.screens.keys import remapped
from evaltui.screens.page_view import PageView

_WHERE = {"diff": "in a pair", "run": "in the table", "table": "in the table"}
_OUTCOMES = (
    ("✓ pass", "every check holds"),
    ("✗ fail", "a check says no"),
    ("? review", "a person has to look: moved, new, expired, unsigned, revised, removed"),
    ("! error", "there is no answer; an error is never a fail"),
    ("◷ suspended", "the case waits for a person: y approves, d denies"),
    ("- skipped", "not run"),
)


class HelpScreen(ModalScreen[None]):
    """Lists keys by group; any of its own keys closes it."""

    CSS_PATH = "../styles/help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "dismiss", "close", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield PageView(id="help-page")

    def on_mount(self) -> None:
        self.query_one("#help").border_title = "keys"
        self.query_one("#help").border_subtitle = "esc closes"
        self._view.focus()

    @property
    def _view(self) -> PageView:
        return self.query_one(PageView)

    def on_page_view_resized(self, message: PageView.Resized) -> None:
        self._view.show(help_page(remapped(COMMANDS, self._keymap), message.width))

    def action_scroll(self, lines: int) -> None:
        self._view.scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        self._view.scroll_pages(pages)


def help_page(commands: Iterable[Command], width: int) -> Page:
    """Keys and what they do, by group, then what the outcomes mean."""
    writer = PageWriter(width)
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.group, []).append(command)
    for group, members in groups.items():
        writer.heading(group.lower())
        for command in members:
            where = _WHERE.get(command.scopes[0], "") if command.scopes == ("diff",) else ""
            text = command.tooltip + (f" ({where})" if where else "")
            writer.field(", ".join(command.key_texts), text, 12)
    writer.heading("outcomes")
    for name, text in _OUTCOMES:
        writer.field(name, text, 12, Role.PLAIN)
    return writer.page()
