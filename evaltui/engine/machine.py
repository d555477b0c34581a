"""The state of one evaluation: scopes, the row at hand and the effects in force.

A program is compiled to closures that take a ``Machine`` and answer a value. Scopes are a stack of
frames, innermost last (runtime specification 2.2). A block pops its frame only when it succeeds,
so that the ``ULX`` dialect keeps the names of a failed ``retry``; under ``RUN`` the ``retry``
drops them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Effects
from evaltui.engine.failures import RuntimeFailure

Frame: TypeAlias = dict[str, Value]
Code: TypeAlias = "Callable[[Machine], Value]"

MAX_CALL_DEPTH: Final = 500
"""Conversation calls inside each other; deeper ones fail."""


def too_deep() -> RuntimeFailure:
    """Calls or expressions are nested deeper than can be evaluated."""
    return RuntimeFailure(
        f"the program nests calls too deeply (at most {MAX_CALL_DEPTH} conversations)", "recursion"
    )


class Machine:
    """One evaluation. ``attempt`` is the resample number that judge calls carry (8.4).

    ``judge`` and ``rubric`` are those of the last judge call, for the record of a check.
    """

    __slots__ = ("attempt", "depth", "effects", "frames", "judge", "row", "rubric")

    def __init__(self, effects: Effects, row: Value | None = None) -> None:
        self.effects = effects
        self.frames: list[Frame] = [{}]
        self.row = row
        self.attempt = 0
        self.depth = 0
        self.judge: str | None = None
        self.rubric: Value | None = None

    def branch(self) -> Machine:
        """A copy for one member of a ``with``; its resample number starts again."""
        copy = Machine(self.effects, self.row)
        copy.frames = [frame.copy() for frame in self.frames]
        copy.depth = self.depth
        return copy

    def find(self, name: str) -> Frame | None:
        """The innermost frame that binds ``name``."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame
        return None

    def enter(self, parameters: Frame) -> tuple[list[Frame], Value | None]:
        """Start a new environment of ``parameters`` only; answers what ``leave`` needs."""
        saved = self.frames, self.row
        if self.depth >= MAX_CALL_DEPTH:
            raise too_deep()
        self.depth += 1
        self.frames = [parameters]
        self.row = None
        return saved

    def leave(self, saved: tuple[list[Frame], Value | None]) -> None:
        """Go back to the environment before ``enter``."""
        self.depth -= 1
        self.frames, self.row = saved
