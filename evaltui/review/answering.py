"""Whether a result still stands under the answers that people gave to its escalations."""

from __future__ import annotations

from msgspec.structs import replace

from evaltui.models import Action, CaseResult, Decision, Suspension, Target
from evaltui.review.chain_index import CaseChains
from evaltui.review.chains import Held


def told(decision: Decision, target: Target) -> str:
    """What an answer tells the program: equal texts lead to equal results."""
    if decision.action is Action.DENY_ESCALATION:
        note = target.note or decision.reason
        return f"{decision.how or 'deny_value'} {note}"
    return f"approve {target.value or ''}"


def answer_in_force(
    case: CaseChains | None, waiting: Suspension, run_id: str | None
) -> Held | None:
    """The live answer to an escalation: one for this run only goes before one until a day."""
    if case is None:
        return None
    key = (waiting.name, waiting.arguments_digest, waiting.occurrence)
    states = [case.escalations.get((*key, run)) for run in (run_id, None)]
    return next((one.live for one in states if one is not None and one.live), None)


def under_answers_of_today(
    result: CaseResult, case: CaseChains | None, run_id: str | None
) -> CaseResult:
    """The result, or what is left of it when an answer it rests on no longer holds.

    A run would then come to the same escalation and wait there, or be told something else: what
    it said after that counts no more.
    """
    for given in result.answers:
        held = answer_in_force(case, given.escalation, run_id)
        if held is None or told(held.decision, held.target) != given.told:
            return replace(
                result, suspension=given.escalation, checks=(), output=None, error=None, denied=None
            )
    return result
