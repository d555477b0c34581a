"""Days on which decisions end: reading them, and how many are left."""

from __future__ import annotations

import re
from datetime import date, timedelta

from evaltui.errors import UsageError

_SPAN = re.compile(r"(\d{1,5})\s*([dwmy])")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAYS_IN = {"d": 1, "w": 7, "m": 30, "y": 365}
_HINT = "write a day such as 2027-01-31, or a span such as 90d"


def parse_expiry(text: str, today: date, longest: int | None = None) -> date:
    """The last day on which a decision counts; the day itself is included, in UTC.

    Args:
        text: A day (``2027-01-31``) or a span from today (``90d``, ``6w``, ``3m`` of 30 days,
            ``1y`` of 365 days).
        today: The current day in UTC.
        longest: The most days from today that the policy allows.

    Raises:
        UsageError: no such day, a day in the past, or one beyond the maximum.
    """
    day = _read(text.strip(), today)
    if day < today:
        raise UsageError(f"the expiry {day} is in the past", hint=f"today is {today}")
    if longest is not None and (day - today).days > longest:
        last = today + timedelta(days=longest)
        raise UsageError(
            f"the expiry {day} is beyond the policy's maximum of {longest} days",
            hint=f"choose {last} or an earlier day",
        )
    return day


def _read(text: str, today: date) -> date:
    span = _SPAN.fullmatch(text)
    try:
        if span:
            return today + timedelta(days=int(span[1]) * _DAYS_IN[span[2]])
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UsageError(f"there is no day {text!r}", hint=_HINT) from None
    raise UsageError(f"not an expiry: {text!r}", hint=_HINT)


def days_of(span: str) -> int:
    """The number of days in a span such as ``365d``.

    Raises:
        UsageError: not a span.
    """
    found = _SPAN.fullmatch(span.strip())
    if not found:
        raise UsageError(f"not a span of days: {span!r}", hint="write it as 90d")
    return int(found[1]) * _DAYS_IN[found[2]]


def days_left(expires: date, today: date) -> int:
    """Days after today on which a decision still counts; 0 on its last day, negative after it."""
    return (expires - today).days


def time_left(expires: date | None, today: date) -> str:
    """How long a decision still counts, for people: ``5 days left``, ``last day``, ``expired``."""
    if expires is None:
        return "no expiry"
    left = days_left(expires, today)
    if left < 0:
        return f"expired {expires}"
    return "last day" if left == 0 else f"{left} day{'s' if left > 1 else ''} left"
