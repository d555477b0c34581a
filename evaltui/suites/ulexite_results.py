"""From what the interpreter says of a row to what the case came to."""

from __future__ import annotations

from collections.abc import Iterable

from evaltui.engine.benchmark import Execution
from evaltui.engine.carriers import Unsettled, Value
from evaltui.engine.checking import RawCheck
from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.recording import DRAFT_CLASSES, DRAFT_KINDS
from evaltui.engine.rendering import display, display_float
from evaltui.engine.run_effects import RunEffects, Undecided
from evaltui.engine.tagging import content_hash, natural, tagged
from evaltui.models import (
    CaseError,
    CaseResult,
    CheckKind,
    CheckResult,
    CheckState,
    FailureClass,
    JudgeAttempt,
    Mode,
    Suspension,
)
from evaltui.providers.base import ProviderFailure

_FIXTURE_KINDS = frozenset(("io_error",))
_ADVICE = {
    "timeout": "run it again, or raise case_seconds in [run]",
    "rate_limit": "run it again with a lower --concurrency",
    "refused": "look at the prompt: the model declined to answer",
}


def result_of(
    index: int, execution: Execution, effects: RunEffects, mode: Mode, started_at: str
) -> CaseResult:
    """The result of one case."""
    checks = tuple(_check(raw, effects.drafts) for raw in execution.checks)
    return CaseResult(
        index,
        checks=checks,
        output=tagged(execution.bound) if execution.bound else None,
        error=_error(execution, checks, effects.drafts),
        suspension=_suspension(execution.suspension),
        denied=f"denied: {execution.stopped.note}" if execution.stopped else None,
        calls=tuple(effects.log.records),
        instrument=effects.instrument,
        mode=effects.mode or mode,
        started_at=started_at,
        latency_ms=round(effects.elapsed_ms, 3),
        answers=tuple(effects.answers),
    )


def _check(raw: RawCheck, drafts: list[Unsettled]) -> CheckResult:
    draft = _draft_in(raw, drafts)
    return CheckResult(
        id=raw.id,
        kind=raw.kind,
        state=_state(raw, draft),
        message=raw.message if draft is None else f"no answer to check: {display(draft)}",
        value=None if raw.value is None or draft is not None else tagged(raw.value),
        key=raw.key,
        verdict=None if raw.verdict is None else display(raw.verdict),
        rubric=raw.rubric,
        threshold=None if raw.threshold is None else display_float(raw.threshold),
        attempts=tuple(
            JudgeAttempt(attempt.number, display(attempt.verdict), attempt.passed)
            for attempt in raw.attempts
        ),
        source_line=raw.line,
    )


def _state(raw: RawCheck, draft: Unsettled | None) -> CheckState:
    if draft is not None:
        return CheckState.ERROR
    if raw.kind is CheckKind.SNAPSHOT:
        return CheckState.COMPARED
    return CheckState.PASS if raw.passed else CheckState.FAIL


def _draft_in(raw: RawCheck, drafts: list[Unsettled]) -> Unsettled | None:
    """The draft that keeps a check from being a verdict.

    A failed check of a case in which a call got no answer is not called a failure: what it looked
    at may stem from that draft.
    """
    if raw.draft is not None:
        return raw.draft
    inside = None if raw.value is None else _unsettled(raw.value)
    if inside is None and drafts and (not raw.passed or _quotes_draft(raw.value)):
        return drafts[0]
    return inside


def _quotes_draft(value: Value | None) -> bool:
    return value is not None and "<unsettled: " in display(value)


def _unsettled(value: Value) -> Unsettled | None:
    if isinstance(value, Unsettled):
        return value
    parts: Iterable[Value] = ()
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    return next((found for part in parts if (found := _unsettled(part)) is not None), None)


def _error(
    execution: Execution, checks: tuple[CheckResult, ...], drafts: list[Unsettled]
) -> CaseError | None:
    if execution.error is not None:
        return _failure(execution.error)
    if execution.deadline is not None:
        message = f"the case {execution.deadline}"
        return CaseError(FailureClass.INFRASTRUCTURE, "timeout", message, _ADVICE["timeout"])
    draft = _unsettled(execution.bound)
    if draft is None and any(check.state is CheckState.ERROR for check in checks):
        draft = next(iter(drafts), None)
    return None if draft is None else _draft_error(draft)


def _draft_error(draft: Unsettled) -> CaseError:
    kind = DRAFT_KINDS[draft.variant]
    message = f"no answer came: {display(draft)}"
    return CaseError(DRAFT_CLASSES[draft.variant], kind, message, _ADVICE[kind])


def _failure(error: RuntimeFailure) -> CaseError:
    cause = error.__cause__
    if isinstance(cause, ProviderFailure):
        return CaseError(cause.failure_class, cause.kind, error.text, cause.next_action)
    if error.kind in _FIXTURE_KINDS:
        return CaseError(FailureClass.FIXTURE, error.kind, error.text, "mend the file it names")
    if error.kind == "provider_failed":
        return CaseError(FailureClass.INFRASTRUCTURE, error.kind, error.text, "run it again")
    return CaseError(FailureClass.PROGRAM, error.kind, error.text, "mend the suite")


def _suspension(waiting: Suspended | None) -> Suspension | None:
    if waiting is None:
        return None
    arguments = dict(waiting.arguments)
    digest, occurrence = content_hash(arguments), 0
    if isinstance(waiting, Undecided):
        digest, occurrence = waiting.digest, waiting.occurrence
    return Suspension(waiting.target, waiting.reason, natural(arguments), digest, occurrence)
