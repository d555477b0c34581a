"""Short texts about decisions, for rows and details."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from evaltui.models import Action
from evaltui.review.chains import Held
from evaltui.review.expiry import time_left

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
