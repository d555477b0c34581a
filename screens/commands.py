"""Every action a person can take, once: keys, footer, help page and command palette read this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.binding import Binding, BindingType

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


Applies = Callable[[Situation], bool]


def _always(_: Situation) -> bool:
    return True


def _has_row(now: Situation) -> bool:
    return now.row is not None


def _has_rows(now: Situation) -> bool:
    return now.shown > 0


def _deciding(now: Situation) -> bool:
    return now.row is not None and now.can_decide


def _acceptable(now: Situation) -> bool:
    row = now.row
    if row is None or row.outcome in (Outcome.ERROR, Outcome.SUSPENDED):
        return False
    return _deciding(now) and (row.outcome is Outcome.REVIEW or bool(row.change))


def _numeric(now: Situation) -> bool:
    return _deciding(now) and now.row is not None and now.row.change[:1] in ("+", "-")


def _suspended(now: Situation) -> bool:
    return _deciding(now) and now.row is not None and now.row.outcome is Outcome.SUSPENDED


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
    applies: Applies = _always
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

_BOTH = ("run", "diff")
_LISTS = ("table", "page")

COMMANDS = (
    Command("move.down", "j,down", "down", "down", "The next row", "Move", _LISTS),
    Command("move.up", "k,up", "up", "up", "The row before", "Move", _LISTS),
    Command("move.first", "g,home", "first", "first", "The first row", "Move", _LISTS),
    Command(
        "move.last",
        "G,end",
        "last",
        "last",
        "The last row; while cases run, follow the newest",
        "Move",
        _LISTS,
    ),
    Command(
        "move.page_down",
        "pagedown",
        "page(1)",
        "page down",
        "One page on",
        "Move",
        _LISTS,
    ),
    Command("move.page_up", "pageup", "page(-1)", "page up", "One page back", "Move", _LISTS),
    Command(
        "move.next_red",
        "n",
        "next_red(1)",
        "next red",
        "The next case that needs a person; the next match while filtering by text",
        "Move",
        _BOTH,
        _has_rows,
        weight=80,
    ),
    Command(
        "move.previous_red",
        "N",
        "next_red(-1)",
        "previous red",
        "The one before; the match before while filtering by text",
        "Move",
        _BOTH,
        _has_rows,
    ),
    Command(
        "look.filter",
        "slash",
        "filter",
        "filter",
        "Show some cases: words, outcome:fail, class:, slice:, check:, gate:, decided:, ! inverts",
        "Look",
        weight=60,
    ),
    Command(
        "look.quick",
        "f",
        "quick",
        "red/all",
        "Cycle all, red, infrastructure, undecided",
        "Look",
        weight=58,
    ),
    Command("look.order", "o", "order", "order by", "Order by the next column", "Look"),
    Command("look.reverse", "O", "reverse", "reverse", "Turn the order around", "Look"),
    Command("look.preview", "p", "preview", "preview", "Hide or show the preview", "Look"),
    Command(
        "look.preview_down",
        "ctrl+d",
        "preview_scroll(1)",
        "preview down",
        "Scroll the preview",
        "Look",
    ),
    Command(
        "look.preview_up",
        "ctrl+u",
        "preview_scroll(-1)",
        "preview up",
        "Scroll the preview back",
        "Look",
    ),
    Command(
        "look.open",
        "enter",
        "open",
        "open",
        "Old and current of this case, side by side",
        "Look",
        applies=_has_row,
        weight=100,
    ),
    Command(
        "look.next_change",
        "right_square_bracket",
        "change(1)",
        "next change",
        "The next change in this case",
        "Look",
        ("diff",),
        weight=96,
    ),
    Command(
        "look.previous_change",
        "left_square_bracket",
        "change(-1)",
        "previous change",
        "The change before",
        "Look",
        ("diff",),
    ),
    Command(
        "look.next_case",
        "J",
        "case(1)",
        "next case",
        "The next case of the table",
        "Look",
        ("diff",),
        weight=94,
    ),
    Command(
        "look.previous_case",
        "K",
        "case(-1)",
        "previous case",
        "The case before",
        "Look",
        ("diff",),
    ),
    Command(
        "look.layout",
        "s",
        "layout",
        "side/stacked",
        "Old and current beside each other, or one above the other",
        "Look",
        ("diff",),
        weight=40,
    ),
    Command("mark.toggle", "space", "mark", "mark", "Mark this case", "Mark", applies=_has_row),
    Command(
        "mark.range",
        "v",
        "range",
        "range",
        "Mark from here to where v is pressed again",
        "Mark",
        applies=_has_row,
    ),
    Command(
        "mark.all",
        "ctrl+a",
        "mark_all",
        "mark all",
        "Mark all shown, or none",
        "Mark",
        applies=_has_rows,
    ),
    Command(
        "decide.accept",
        "a",
        "decide('accept_baseline')",
        "accept",
        "Accept the new value of this case as its baseline",
        "Decide",
        _BOTH,
        _acceptable,
        weight=90,
    ),
    Command(
        "decide.accept_all",
        "A",
        "decide_all('accept_baseline')",
        "accept all",
        "Accept all marked cases, or all shown when none is marked",
        "Decide",
        applies=_has_rows,
        weight=50,
    ),
    Command(
        "decide.widen",
        "t",
        "decide('widen_tolerance')",
        "tolerance",
        "Widen the tolerance of a check",
        "Decide",
        _BOTH,
        _numeric,
        weight=56,
    ),
    Command(
        "decide.approve",
        "y",
        "decide('approve_escalation')",
        "approve",
        "Approve the escalation, so that the case runs on",
        "Decide",
        _BOTH,
        _suspended,
        weight=92,
    ),
    Command(
        "decide.deny",
        "d",
        "decide('deny_escalation')",
        "deny",
        "Deny the escalation",
        "Decide",
        _BOTH,
        _suspended,
        weight=91,
    ),
    Command(
        "decide.resolve",
        "x",
        "resolve",
        "resolve",
        "Waive, renew, revise the fixture, retry, fix the adapter, block the release",
        "Decide",
        _BOTH,
        _deciding,
        weight=70,
    ),
    Command(
        "decide.note",
        "c",
        "decide('annotate')",
        "note",
        "A note on this case",
        "Decide",
        _BOTH,
        _deciding,
        weight=20,
    ),
    Command(
        "decide.undo",
        "u",
        "undo",
        "undo",
        "Take the last decision back",
        "Decide",
        _BOTH,
        weight=30,
    ),
    Command("decide.redo", "ctrl+r", "redo", "redo", "Put it in force again", "Decide", _BOTH),
    Command(
        "case.rerun",
        "r",
        "rerun",
        "run again",
        "Run this case, or the marked ones, again",
        "Case",
        applies=lambda now: now.can_rerun and now.row is not None,
        weight=25,
    ),
    Command(
        "case.edit",
        "e",
        "edit",
        "editor",
        "Open $EDITOR at the suite of this case",
        "Case",
        _BOTH,
        lambda now: now.can_edit and now.row is not None,
        weight=22,
    ),
    Command("go.trace", "T", "trace", "trace", "The calls of this case", "Go", _BOTH, _has_row),
    Command("go.runs", "R", "runs", "runs", "The runs in the store", "Go"),
    Command("go.decisions", "D", "decisions", "decisions", "The decisions in force", "Go"),
    Command("go.help", "question_mark,f1", "help", "help", "This list", "Go", ("app",), weight=35),
    Command(
        "go.palette",
        "ctrl+p",
        "command_palette",
        "palette",
        "Find a command by name",
        "Go",
        ("app",),
    ),
    Command("look.theme", "ctrl+t", "theme", "theme", "Dark or light colours", "Look", ("app",)),
    Command(
        "go.back",
        "escape",
        "back",
        "back",
        "Go back, or cancel; never decides anything",
        "Go",
        ("run", "diff", "list"),
        lambda now: now.can_go_back,
        weight=33,
    ),
    Command(
        "go.quit",
        "q",
        "leave",
        "quit",
        "Leave, with the summary, the exit code and the --ci line",
        "Go",
        ("app",),
        weight=34,
    ),
)


def commands_of(*scopes: str) -> Iterator[Command]:
    """The commands that work in any of ``scopes``, in the order of the help page."""
    return (command for command in COMMANDS if set(scopes) & set(command.scopes))


def bindings(*scopes: str) -> list[BindingType]:
    """Textual bindings of the commands in ``scopes``; their ids are those of the keymap."""
    return [
        Binding(
            command.keys,
            command.action,
            command.label,
            show=False,
            tooltip=command.tooltip,
            id=command.id,
        )
        for command in commands_of(*scopes)
    ]


def footer_items(now: Situation, *scopes: str) -> list[Command]:
    """The commands that apply now and belong in the footer, the weightiest first."""
    items = [c for c in commands_of(*scopes) if c.weight and c.applies(now)]
    return sorted(items, key=lambda command: -command.weight)
