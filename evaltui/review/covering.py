"""What decisions and badges say about a case beside its outcome."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.models import (
    Action,
    CheckKind,
    CheckResult,
    CheckState,
    Gate,
    JudgeAttempt,
    Outcome,
)
from evaltui.review.answering import answer_in_force
from evaltui.review.chain_index import CaseChains
from evaltui.review.chains import Held
from evaltui.review.check_judging import CheckJudge, Judged, near_threshold

BADGE_GATES = ((Gate.UNSTABLE, "unstable"), (Gate.REVISED, "revised"), (Gate.NEAR, "near"))
CLOSING = (Action.RETRY_INFRASTRUCTURE, Action.FIX_ADAPTER, Action.REVISE_FIXTURE)
"""Acts that close the review of a case in one run and leave it red."""


def is_known(case: CaseChains) -> bool:
    """Whether a live decision other than a waiver says that there is such a case."""
    return any(state.live is not None for state in case.states() if state is not case.waiver)


def badges_of(checks: CheckJudge, judged: list[Judged], outcome: Outcome) -> list[str]:
    """The badges of a case, without those that decisions alone give."""
    result, band = checks.result, checks.context.policy.near_band
    badges = []
    if outcome is Outcome.FAIL and (result.error is not None or any(map(_is_error, judged))):
        badges.append("partial")
    if any(one.tolerated for one in judged):
        badges.append("tolerated")
    if any(_passed(one) and passed_late(one.attempts) for one in result.checks):
        badges.append("unstable")
    if checks.case is not None and _revised(checks.case, checks.spec.row_digest):
        badges.append("revised")
    if band is not None and any(near_threshold(check, band) for check in result.checks):
        badges.append("near")
    return badges


def passed_late(attempts: Sequence[JudgeAttempt]) -> bool:
    """Whether a judge passed, but not at first; an answer of a person is no attempt."""
    return len(attempts) > 1 and attempts[-1].passed


def answer_to(checks: CheckJudge) -> Held | None:
    """The answer that a waiting case has by now, or the one under which it ran."""
    case, waiting = checks.case, checks.result.suspension
    if case is None:
        return None
    run_id = checks.context.run_id
    if waiting is not None:
        return answer_in_force(case, waiting, run_id)
    answers = [one.live for one in case.escalations.values() if one.live is not None]
    counting = [
        one for one in answers if one.decision.scope != "once" or one.decision.run_id == run_id
    ]
    denied = [one for one in counting if one.decision.action is Action.DENY_ESCALATION]
    return next(iter((*denied, *counting)), None)


def closing_act(checks: CheckJudge) -> Held | None:
    """The latest retry, adapter fix or fixture revision that closed the review in this run."""
    case, run_id = checks.case, checks.context.run_id
    if case is None or run_id is None or not case.notes:
        return None
    notes = [
        one
        for one in case.notes
        if one.decision.run_id == run_id and one.decision.action in CLOSING
    ]
    return max(notes, key=lambda one: one.decision.created_at, default=None)


def _is_error(judged: Judged) -> bool:
    return judged.check.outcome is Outcome.ERROR


def _passed(check: CheckResult) -> bool:
    return check.kind is CheckKind.EXPECT and check.state is CheckState.PASS


def _revised(case: CaseChains, row_digest: str) -> bool:
    """Whether the live decisions are about other rows of the same id."""
    if not row_digest:
        return False
    rows = {
        state.live.target.row_digest
        for state in case.states()
        if state.live is not None and state.live.target.row_digest is not None
    }
    return bool(rows) and row_digest not in rows
