"""Reading the day on which a decision ends."""

from __future__ import annotations

from datetime import date

import pytest

from evaltui.errors import UsageError
from evaltui.review.expiry import parse_expiry, time_left

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("90d", date(2026, 5, 30)),
        ("0d", TODAY),
        ("2w", date(2026, 3, 15)),
        ("1y", date(2027, 3, 1)),
        (" 2026-03-01 ", TODAY),
        ("2027-01-31", date(2027, 1, 31)),
    ],
)
def test_days_and_spans(text: str, day: date) -> None:
    assert parse_expiry(text, TODAY, 365) == day


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not an expiry"),
        ("soon", "not an expiry"),
        ("-5d", "not an expiry"),
        ("30 Feb", "not an expiry"),
        ("2026-02-30", "there is no day"),
        ("2026-02-28", "in the past"),
        ("366d", "beyond the policy's maximum of 365 days"),
        ("99999y", "there is no day"),
        ("2026-3-1", "not an expiry"),
    ],
)
def test_what_is_no_expiry_is_said_so(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_expiry(text, TODAY, 365)


def test_time_left_in_words() -> None:
    assert time_left(date(2026, 3, 6), TODAY) == "5 days left"
    assert time_left(date(2026, 3, 2), TODAY) == "1 day left"
    assert time_left(TODAY, TODAY) == "last day"
    assert time_left(date(2026, 2, 28), TODAY) == "expired 2026-02-28"
