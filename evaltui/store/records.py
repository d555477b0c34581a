"""What the store hands out besides the nouns of ``evaltui.models``."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

from msgspec import Struct

from evaltui.models import CaseResult, CaseSpec, Judgement, Mode, Outcome, mode_word

NOT_RUN = "not run"
"""Why a planned case without a stored result is skipped."""


class CaseRecord(Struct, frozen=True):
    """Everything stored about one case."""

    spec: CaseSpec
    result: CaseResult
    judgement: Judgement


class RunRow(Struct, frozen=True):
    """One line of the history. ``counts`` covers every planned case; absent outcomes are 0."""

    id: str
    label: str
    started_at: str
    finished_at: str | None
    state: str
    mode: Mode
    instrument: str
    policy_digest: str
    parent: str | None
    suites: tuple[str, ...]
    benchmarks: tuple[str, ...]
    total: int
    counts: Mapping[Outcome, int]
    red: int
    imported: str | None = None

    @property
    def mode_word(self) -> str:
        """The mode as people read it."""
        return mode_word(self.mode, self.imported)


class CachedAnswer(Struct, frozen=True):
    """A reply kept for the next run, with the circumstances under which it was given."""

    value: str
    """Tagged JSON."""
    vendor: str
    model: str | None
    """The model asked for; ``answered_by`` is the one that answered."""
    answered_by: str | None
    answered_at: str
    latency_ms: float
    mode: Mode = Mode.LIVE
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    run_id: str = ""
    run_label: str = ""
    instrument: str = ""
    """Canonical JSON of what really answered."""


class Intent(Struct, frozen=True):
    """An act that was begun; ``content`` is the reviewer's own JSON."""

    id: str
    created_at: str
    content: str


class MarkState(StrEnum):
    """Where an act stands on the undo stack; a dropped one can no longer be redone."""

    DONE = "done"
    UNDONE = "undone"
    DROPPED = "dropped"


class Mark(Struct, frozen=True):
    """An act on the undo stack of a project."""

    number: int
    project: str
    created_at: str
    state: MarkState
    content: str
