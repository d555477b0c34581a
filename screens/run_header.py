"""The head of the run screen: identity, progress and counts, effort."""

from __future__ import annotations

from evaltui.models import RunInfo
from evaltui.review.run_header import Counted, Progress, header_lines
from evaltui.review.spans import Role, line
from evaltui.screens.lines import LinesView


class RunHeader(LinesView):
    """Draws what ``tell`` was given last; only counts and progress when it is one line high."""

    def __init__(self) -> None:
        super().__init__()
        self._told: tuple[RunInfo, Counted, Progress] | None = None

    def tell(self, run: RunInfo, totals: Counted, progress: Progress) -> None:
        """Show a run."""
        self._told = (run, totals, progress)
        self._lay_out()

    def say(self, text: str) -> None:
        """Show one sentence while there is no run yet."""
        self._told = None
        self.show([line(text, Role.LABEL)])

    def _lay_out(self) -> None:
        if self._told is not None:
            lines = header_lines(*self._told, self.size.width)
            self.show(lines if self.size.height >= len(lines) else lines[1:])

    def on_resize(self) -> None:
        self._lay_out()
