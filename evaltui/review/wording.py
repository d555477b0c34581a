"""Short texts about decisions, for rows and details."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from evaltui.models import Action, Gate, Judgement, Outcome
from evaltui.review.chains import Held
from evaltui.review.expiry import days_left, time_left

_DONE = {
    Action.ACCEPT_BASELINE: "accepted",
    Action.WIDEN_TOLERANCE: "widened",
    Action.WAIVE: "waived",
    Action.APPROVE_ESCALATION: "approved",
    Action.DENY_ESCALATION: "denied",
    Action.REVISE_FIXTURE: "revised",
    Action.RETRY_INFRASTRUCTURE: "retry",
    Action.FIX_ADAPTER: "adapter fix",
    Action.BLOCK_RELEASE: "blocked",
    Action.ANNOTATE: "note",
    Action.RENEW: "renewed",
    Action.REVERT: "reverted",
    Action.RELINK: "linked",
}
_REASONS: dict[str, str] = {
    Gate.NEW: "new",
    Gate.EXPIRED: "expired",
    Gate.UNREVIEWED: "unsigned",
    Gate.CONFLICT: "conflict",
    Gate.INSTRUMENT: "other instrument",
    Gate.REMOVED: "removed",
    Gate.UNSTABLE: "unstable",
    Gate.REVISED: "other row",
    Gate.NEAR: "near",
}


def done(action: Action) -> str:
    """What was done, as one word for a row: ``accepted``."""
    return _DONE[action]


def in_force(held: Held, today: date) -> str:
    """A decision in few words: ``accepted demo, 5 days left``."""
    return _in_force(held.decision.action, held.decision.reviewer, held.expires, today)


@lru_cache(maxsize=1024)
def _in_force(action: Action, reviewer: str, expires: date | None, today: date) -> str:
    text = f"{_DONE[action]} {reviewer}"
    return f"{text}, {time_left(expires, today)}" if expires else text


def standing(held: Held, today: date, *, red: bool) -> str:
    """The decision of a row, shortest first: ``demo, 90d``, ``waived demo, 14d``.

    What was accepted is the old value where the case is red all the same: ``old: demo, 90d``.
    """
    decision = held.decision
    return _standing(decision.action, decision.reviewer, held.expires, today, red)


@lru_cache(maxsize=1024)
def _standing(action: Action, reviewer: str, expires: date | None, today: date, red: bool) -> str:
    left = days_left(expires, today) if expires else None
    if left is not None and left < 0:
        return f"expired {expires}"
    accepted = action is Action.ACCEPT_BASELINE
    words = ("old: " if red else "") if accepted else f"{_DONE[action]} "
    if left is None:
        return f"{words}{reviewer}"
    return f"{words}{reviewer}, {f'{left}d' if left else 'last day'}"


def reason_of(judgement: Judgement) -> str:
    """Why a case is not a pass, in a word or two before how its value moved.

    Empty where only the message can say it: a failed check, a case that waits.
    """
    change = judgement.change
    if judgement.outcome is Outcome.ERROR:
        return judgement.kind.replace("_", " ")
    if judgement.outcome is not Outcome.REVIEW:
        return change
    reason = _REASONS.get(judgement.kind, "")
    return ", ".join(dict.fromkeys(part for part in (reason, change) if part))


def label(held: Held, today: date) -> str:
    """Where an old value comes from: ``accepted by ana until 2027-01-31``."""
    return _label(held.decision.reviewer, held.signed_by.reviewer, held.expires, today)


@lru_cache(maxsize=1024)
def _label(reviewer: str, renewer: str, expires: date | None, today: date) -> str:
    text = f"accepted by {reviewer}"
    if renewer != reviewer:
        text += f", renewed by {renewer}"
    if expires is None:
        return text
    return f"{text} until {expires}{' (expired)' if expires < today else ''}"
