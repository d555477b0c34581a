"""The table row of a case."""

from __future__ import annotations

from decimal import Decimal

from evaltui.models import CallRecord, CaseResult, CaseSpec, CaseSummary, Gate, Judgement
from evaltui.review.wording import reason_of

_MESSAGE = 200


def summarise(spec: CaseSpec, result: CaseResult, judgement: Judgement) -> CaseSummary:
    """One row: what sorting, filtering and drawing need.

    Cost and tokens are those of this run: cached answers add nothing. A row of a removed case says
    so.
    """
    calls, red = result.calls, judgement.red
    return CaseSummary(
        index=spec.index,
        section=spec.section,
        case_id=spec.case_id,
        outcome=judgement.outcome,
        slices=spec.slices,
        failure_class=judgement.failure_class,
        kind=judgement.kind,
        check=judgement.failing_check,
        message=_one_line(judgement.message),
        change=reason_of(judgement) if red else judgement.change,
        attempts=max([len(check.attempts) for check in result.checks], default=0),
        latency_ms=result.latency_ms,
        cost=_cost(calls),
        calls=len(calls),
        cache_hits=sum([call.cache_hit for call in calls]),
        tokens=_tokens(calls),
        decision=judgement.decision,
        red=red,
        undecided=red and not judgement.settled,
        gates=judgement.gates,
        badges=judgement.badges,
        shape=judgement.shape if red else "",
        waived=judgement.waived,
        removed=Gate.REMOVED in judgement.gates or judgement.kind == Gate.REMOVED,
    )


def _one_line(message: str) -> str:
    if len(message) > _MESSAGE:
        message = message[: _MESSAGE - 1] + "…"
    return message.replace("\n", " ") if "\n" in message else message


def _cost(calls: tuple[CallRecord, ...]) -> Decimal | None:
    known = [call.cost for call in calls if call.cost is not None and not call.cache_hit]
    return sum(known, Decimal(0)) if known else None


def _tokens(calls: tuple[CallRecord, ...]) -> int:
    asked = [call for call in calls if not call.cache_hit]
    return sum([(call.input_tokens or 0) + (call.output_tokens or 0) for call in asked])
