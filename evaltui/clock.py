"""The one clock and the one source of ids, both injectable."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime

from msgspec import Struct

from evaltui.errors import UsageError

NOW_VARIABLE = "EVALTUI_NOW"


def in_ci(environment: Mapping[str, str] | None = None) -> bool:
    """Whether ``CI`` is set; absent, empty, ``0`` and ``false`` mean unset."""
    value = (environment if environment is not None else os.environ).get("CI", "")
    return value.lower() not in ("", "0", "false")


class Clock(Struct, frozen=True):
    """``now`` answers an aware UTC datetime; ``fixed`` is the text that set it, if any."""

    now: Callable[[], datetime]
    fixed: str | None = None

    def today(self) -> date:
        """The current day in UTC."""
        return self.now().date()

    def stamp(self) -> str:
        """The current time as ``2026-01-31T12:00:00.123456Z``."""
        return self.now().isoformat(timespec="microseconds").replace("+00:00", "Z")


class Ids(Struct, frozen=True):
    """Source of random hexadecimal ids; ``token(n)`` answers ``2 * n`` digits."""

    token: Callable[[int], str] = secrets.token_hex


def system_clock(environment: Mapping[str, str] | None = None) -> Clock:
    """The wall clock, or the moment that ``EVALTUI_NOW`` names (an ISO date or date-time).

    The moment moves on from there with real time, so that durations stay durations.

    Raises:
        UsageError: the variable is set while ``CI`` is, or is no date.
    """
    values = environment if environment is not None else os.environ
    text = values.get(NOW_VARIABLE, "").strip()
    if not text:
        return Clock(lambda: datetime.now(UTC))
    if in_ci(values):
        raise UsageError(f"{NOW_VARIABLE} is refused while CI is set", hint=f"unset {NOW_VARIABLE}")
    try:
        start = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{NOW_VARIABLE} is not a date: {text!r}", hint="write it as 2026-01-31"
        ) from None
    if not 1970 < start.year < 9000:
        raise UsageError(f"{NOW_VARIABLE} is too far away: {text!r}", hint="write it as 2026-01-31")
    aware = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
    began = time.monotonic()

    def now() -> datetime:
        return datetime.fromtimestamp(aware.timestamp() + time.monotonic() - began, UTC)

    return Clock(now, text)
