"""Everything about one case, put together for a person who has to decide on it."""

from __future__ import annotations

from msgspec import Struct

from evaltui.models import (
    CallRecord,
    CaseError,
    CaseSpec,
    CaseSummary,
    CheckKind,
    Gate,
    JudgeAttempt,
    Mode,
    Outcome,
    Section,
    Suspension,
)


class CheckPair(Struct, frozen=True):
    """One check with its old and new value, each tagged JSON, or None where there is none."""

    id: str
    kind: CheckKind
    outcome: Outcome
    message: str = ""
    gate: Gate | None = None
    old: str | None = None
    old_label: str = ""
    """Where the old value comes from, e.g. ``accepted by ana until 2027-01-31``."""
    new: str | None = None
    delta: str = ""
    tolerance: str = "0"
    policy_tolerance: str = "0"
    verdict: str | None = None
    rubric: str | None = None
    threshold: str | None = None
    attempts: tuple[JudgeAttempt, ...] = ()
    acceptable: bool = False
    decision: str = ""
    """Short text of the decision in force."""
    source_line: int | None = None


class CaseDetail(Struct, frozen=True):
    """One case of a run: what went in, what came out, and what has been decided."""

    spec: CaseSpec
    section: Section
    summary: CaseSummary
    inputs: tuple[tuple[str, str], ...]
    """(column, text) pairs of the dataset row."""
    pairs: tuple[CheckPair, ...]
    calls: tuple[CallRecord, ...] = ()
    mode: Mode = Mode.LIVE
    output: str | None = None
    """Tagged JSON of what ``run:`` bound."""
    previous_output: str | None = None
    previous_label: str = ""
    """Such as ``run r12, not accepted``; empty when there is no earlier output."""
    instrument_old: str = ""
    instrument_new: str = ""
    suspension: Suspension | None = None
    error: CaseError | None = None
    denied: str | None = None
    skipped: str | None = None
    history: tuple[str, ...] = ()
    """One line a decision that names the case, the newest first."""
