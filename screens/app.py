"""The app: themes, stylesheets, keys that work everywhere, and the first screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.screen import Screen

from evaltui.screens.bench import Bench
from evaltui.screens.keys import bindings
from evaltui.screens.run import RunScreen
from evaltui.screens.theme import DARK, LIGHT

_TWICE_S = 3.0
_STYLES = Path(__file__).parent.parent / "styles"


def _command_provider() -> type[Provider]:
    from evaltui.screens.palette import CommandProvider

    return CommandProvider


class EvaltuiApp(App[None]):
    """Opens the run screen over a bench; ends when a person leaves."""

    TITLE = "evaltui"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        _STYLES / f"{name}.tcss" for name in ("theme", "table", "run")
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("app"),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_command_provider}

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self._warned = float("-inf")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colour names that themes other than ours lack."""
        return DARK.variables

    def get_default_screen(self) -> Screen[Any]:
        """The run screen."""
        return RunScreen(self.bench)

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        if self.bench.first_paint is not None:
            self.call_after_refresh(self.bench.first_paint)

    def action_theme(self) -> None:
        """Change between our two themes."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_help(self) -> None:
        """Open the help page."""
        from evaltui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.bench.keymap))

    def action_leave(self) -> None:
        """Leave; while cases run, the first time only says so."""
        if self.bench.running and not self._second_time():
            self.notify("Cases are still running. Press q again to stop and leave; rows are kept.")
            return
        self.exit()

    def action_interrupt(self) -> None:
        """Ctrl+C: the first time no more cases are started, the second time leave at once."""
        live = self.bench.live
        if live is None or not self.bench.running or self._second_time():
            self.exit()
            return
        live.stop()
        self.notify("Stopping: no more cases are started. Ctrl+C again leaves now.")

    def _second_time(self) -> bool:
        now = time.monotonic()
        twice = now - self._warned < _TWICE_S
        self._warned = now
        return twice
