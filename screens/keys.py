"""Which keys do what: bindings, the footer, and keys that a policy changes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from textual.binding import Binding, BindingType

from evaltui.screens.command import Command, Situation
from evaltui.screens.commands import COMMANDS

_TOGETHER = (("run", "table", "app"), ("diff", "page", "app"), ("list", "page", "app"))
"""Scopes whose keys work on one screen."""


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


def remapped(commands: Iterable[Command], keymap: Mapping[str, str]) -> list[Command]:
    """Commands with the keys that a policy gives them."""
    return [replace(one, keys=keymap.get(one.id, one.keys)) for one in commands]


def footer_items(now: Situation, *scopes: str) -> list[Command]:
    """The commands that apply now and belong in the footer, the weightiest first."""
    items = [one for one in commands_of(*scopes) if one.weight and one.applies(now)]
    return sorted(remapped(items, now.keymap), key=lambda command: -command.weight)


def key_problems(keymap: Mapping[str, str]) -> list[str]:
    """What is wrong with the ``[keys]`` of a policy, a sentence each."""
    known = {command.id for command in COMMANDS}
    problems = []
    for name in sorted(keymap.keys() - known):
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "see ? for what there is"
        problems.append(f"[keys] names no command: {name}; {hint}")
    for scopes in _TOGETHER:
        problems += _clashes(remapped(commands_of(*scopes), keymap))
    return list(dict.fromkeys(problems))


def _clashes(commands: Iterable[Command]) -> Iterator[str]:
    taken: dict[str, str] = {}
    for command in commands:
        for key in command.keys.split(","):
            other = taken.setdefault(key.strip(), command.id)
            if other != command.id:
                yield f"[keys] {key.strip()} is both {other} and {command.id}"
