"""The command palette: the commands that apply now, found by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from evaltui.screens.case_screen import CaseScreen
from evaltui.screens.command import Command
from evaltui.screens.keys import commands_of, remapped


class CommandProvider(Provider):
    """Offers what the keys offer, worded ``group: label``."""

    async def discover(self) -> Hits:
        for command in self._applying():
            yield DiscoveryHit(_name(command), partial(self._do, command), help=command.tooltip)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._applying():
            score = max(matcher.match(_name(command)), matcher.match(command.tooltip) * 0.9)
            if score > 0:
                shown = matcher.highlight(_name(command))
                yield Hit(score, shown, partial(self._do, command), help=command.tooltip)

    def _applying(self) -> Iterator[Command]:
        screen = self.screen
        if not isinstance(screen, CaseScreen):
            return
        now = screen.situation
        for command in remapped(commands_of(screen.scope, "app"), now.keymap):
            if command.id != "go.palette" and command.applies(now):
                yield command

    async def _do(self, command: Command) -> None:
        await self.screen.run_action(command.action)


def _name(command: Command) -> str:
    return f"{command.group.lower()}: {command.label} ({command.key_text})"
