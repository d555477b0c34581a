"""What a command is, and the situations in which one applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evaltui.models import CaseSummary, Outcome


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides which commands apply: where one is, and what is under the cursor."""

    row: CaseSummary | None = None
    shown: int = 0
    marked: int = 0
    live: bool = False
    can_rerun: bool = False
    can_edit: bool = False
    can_decide: bool = True
    can_go_back: bool = True
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Command ids and the keys that the policy gives them."""


Applies = Callable[[Situation], bool]


def always(_: Situation) -> bool:
    """In every situation."""
    return True


def has_row(now: Situation) -> bool:
    """A case is under the cursor."""
    return now.row is not None


def has_rows(now: Situation) -> bool:
    """Some case is shown."""
    return now.shown > 0


def deciding(now: Situation) -> bool:
    """There is a case to decide on."""
    return now.row is not None and now.can_decide


def acceptable(now: Situation) -> bool:
    """The case has a new value, or none that was accepted."""
    row = now.row
    if row is None or row.outcome in (Outcome.ERROR, Outcome.SUSPENDED):
        return False
    return deciding(now) and (row.outcome is Outcome.REVIEW or bool(row.change))


def numeric(now: Situation) -> bool:
    """The case's change is a number."""
    return deciding(now) and now.row is not None and now.row.change[:1] in ("+", "-")


def suspended(now: Situation) -> bool:
    """The case waits for a person."""
    return deciding(now) and now.row is not None and now.row.outcome is Outcome.SUSPENDED


@dataclass(frozen=True, slots=True)
class Command:
    """One action; ``scopes`` are the screens on which its key works.

    ``applies`` says when footer and palette offer it, ``weight`` its rank in the footer (0: never).
    Pressed at another moment, the key answers why nothing can be done.
    """

    id: str
    keys: str
    """Comma-separated key names, the first one is shown."""
    action: str
    label: str
    tooltip: str
    group: str
    scopes: tuple[str, ...] = ("run",)
    applies: Applies = always
    weight: int = 0

    @property
    def key_text(self) -> str:
        """The first key as people write it."""
        return self.key_texts[0]

    @property
    def key_texts(self) -> list[str]:
        """All keys as people write them."""
        return [_KEY_TEXTS.get(key, key) for key in self.keys.split(",")]


_KEY_TEXTS = {
    "ctrl+a": "^a",
    "ctrl+d": "^d",
    "ctrl+p": "^p",
    "ctrl+r": "^r",
    "ctrl+t": "^t",
    "ctrl+u": "^u",
    "f1": "F1",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "slash": "/",
    "escape": "esc",
}
