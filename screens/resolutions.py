"""The resolutions menu: what can be decided about a case beyond accepting it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from evaltui.models import Action

RESOLUTIONS = (
    (Action.WAIVE, "w", "waive", "keep the outcome, fail no gate until a day"),
    (Action.RENEW, "n", "renew", "extend the decisions in force"),
    (
        Action.REVISE_FIXTURE,
        "v",
        "revise fixture",
        "the row or label is wrong; red until it passes",
    ),
    (
        Action.RETRY_INFRASTRUCTURE,
        "i",
        "retry infrastructure",
        "no answer came; red until it passes",
    ),
    (Action.FIX_ADAPTER, "f", "fix adapter", "our side misread the answer; red until it passes"),
    (Action.BLOCK_RELEASE, "b", "block release", "gate `blocked` fails until reverted"),
)


class ResolutionsScreen(ModalScreen[Action | None]):
    """Answers the action that was chosen, None when the menu was left."""

    CSS_PATH = "../styles/resolutions.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
        *(
            Binding(key, f"choose('{action}')", name, show=False)
            for action, key, name, _ in RESOLUTIONS
        ),
    ]

    def __init__(self, cases: int) -> None:
        super().__init__()
        self._cases = cases

    def compose(self) -> ComposeResult:
        options = [
            Option(
                Content.assemble((f" {key} ", "bold $primary"), f" {name:<21}", (text, "$quiet")),
                id=action.value,
            )
            for action, key, name, text in RESOLUTIONS
        ]
        menu = OptionList(*options, compact=True)
        menu.border_title = (
            "resolve 1 case" if self._cases == 1 else f"resolve {self._cases:,} cases"
        )
        menu.border_subtitle = "enter chooses · esc cancels"
        yield menu

    @on(OptionList.OptionSelected)
    def _selected(self, message: OptionList.OptionSelected) -> None:
        self.dismiss(Action(message.option.id or ""))

    def action_choose(self, action: str) -> None:
        self.dismiss(Action(action))

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        menu = self.query_one(OptionList)
        if step > 0:
            menu.action_cursor_down()
        else:
            menu.action_cursor_up()


def _shown(key: str, name: str, text: str) -> Content:
    return Content.assemble((f" {key} ", "bold $primary"), f" {name:<21}", (text, "$quiet"))
