"""What all cases of a run share: answers, budget, clock, decisions, and the word to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.clock import Clock
from evaltui.engine.answers import Answers
from evaltui.engine.budget import Budget
from evaltui.engine.instruments import Measure
from evaltui.models import Decision, Section
from evaltui.providers.base import Canned, Instrument, Provider
from evaltui.providers.network import Network
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


class RunServices(Struct):
    """Lives as long as a run."""

    run_id: str
    run_label: str
    clock: Clock
    answers: Answers
    budget: Budget
    decisions: EscalationAnswers
    case_seconds: float
    recording: Recording | None = None
    network: Network = field(default_factory=Network)
    _listener: Callable[[str], None] | None = field(default=None)
    _measures: dict[tuple[int, str, str | None], Measure] = field(default_factory=dict)
    _canned: dict[int, Canned | None] = field(default_factory=dict)

    def stop(self, reason: str) -> None:
        """Say that no further call can succeed."""
        if self._listener is not None:
            self._listener(reason)

    def stop_with(self, listener: Callable[[str], None]) -> None:
        """Who is to be told."""
        self._listener = listener

    def measure(self, entry: Entry, capability: str, model: str | None) -> Measure:
        """The instrument that ``entry`` is for a call, with the model that the call asks for."""
        key = id(entry), capability, model
        known = self._measures.get(key)
        if known is None:
            instrument = entry.instrument
            imported = self.recording is not None and self.recording.is_imported
            if model is not None or imported:
                instrument = replace(instrument, model=None if imported else model)
            known = self._measures[key] = Measure(capability, instrument, imported)
        return known

    def canned(self, provider: Provider) -> Canned | None:
        """``provider`` if its answers are canned; asked once for each."""
        if id(provider) not in self._canned:
            self._canned[id(provider)] = provider if isinstance(provider, Canned) else None
        return self._canned[id(provider)]
