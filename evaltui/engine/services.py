"""What all cases of a run share: answers, budget, clock, decisions, and the word to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from evaltui.clock import Clock
from evaltui.engine.answers import Answers
from evaltui.engine.budget import Budget
from evaltui.models import Decision, Section
from evaltui.providers.base import Instrument, Provider
from evaltui.providers.replay import Recording


class Entry(Protocol):
    """A provider under its configured name."""

    @property
    def name(self) -> str: ...

    @property
    def provider(self) -> Provider: ...

    @property
    def instrument(self) -> Instrument: ...


class Registry(Protocol):
    """Chooses who answers (runtime specification 3.5)."""

    def resolve(self, capability: str, name: str | None) -> Entry:
        """The entry for a call.

        Raises:
            RuntimeFailure: none, or several, could answer.
        """
        ...


class EscalationAnswers(Protocol):
    """Finds what a person decided; ``evaltui.review`` knows."""

    def answer(
        self,
        section: Section,
        case_id: str,
        name: str,
        arguments_digest: str,
        occurrence: int,
        run_id: str,
    ) -> Decision | None:
        """The live answer, with one target: the one that gives it."""
        ...


@dataclass(slots=True)
class RunServices:
    """Lives as long as a run."""

    run_id: str
    run_label: str
    clock: Clock
    answers: Answers
    budget: Budget
    decisions: EscalationAnswers
    case_seconds: float
    recording: Recording | None = None
    _listener: Callable[[str], None] | None = field(default=None)

    def stop(self, reason: str) -> None:
        """Say that no further call can succeed."""
        if self._listener is not None:
            self._listener(reason)

    def stop_with(self, listener: Callable[[str], None]) -> None:
        """Who is to be told."""
        self._listener = listener
