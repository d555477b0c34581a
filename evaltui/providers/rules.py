"""How often, how long and after which failures a call is tried.

``evaltui ulx`` does what the reference does (runtime specification 5.3 and 5.4); ``evaltui run``
retries infrastructure failures only and never turns one into a value.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct

from evaltui.project import Limits
from evaltui.providers.failures import Kind


async def _sleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


class Timing(Struct, frozen=True):
    """The outside world's time and chance. ``now`` and ``sleep`` are in seconds."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = _sleep
    chance: Callable[[], float] = random.random
    """A number from 0 to 1."""
    wall: Callable[[], float] = time.time
    """Unix seconds, to read dates in headers with."""


class Rules(Struct, frozen=True):
    """One way of trying.

    ``drafts`` says that a rate limit, timeout or refusal ends as an Unsettled value; ``waits`` that
    a call may wait for an open breaker; ``strict`` that duplicate members make JSON invalid.
    """

    retried: frozenset[Kind]
    attempts: int = 4
    attempt_s: float = 60.0
    drafts: bool = False
    waits: bool = True
    strict: bool = True
    stops: bool = True
    """After a failure that no further call can avoid, nothing more is sent."""
    whole_seconds: bool = False
    """Only a ``Retry-After`` in whole seconds counts, up to 30 of them."""
    breaker_failures: int = 5
    breaker_s: float = 30.0
    breaker_trials: int = 3
    """Failed trials in a row after which the run is stopped; with ``waits`` only."""
    max_bytes: int = 32 * 1024 * 1024


RUN_RULES: Final = Rules(
    frozenset((Kind.RATE_LIMIT, Kind.TIMEOUT, Kind.NETWORK, Kind.SERVER, Kind.GENERATION)),
)
ULX_RULES: Final = Rules(
    frozenset(
        (
            Kind.RATE_LIMIT,
            Kind.TIMEOUT,
            Kind.NETWORK,
            Kind.TLS,
            Kind.SERVER,
            Kind.BREAKER,
            Kind.NOT_JSON,
        )
    ),
    attempt_s=30.0,
    drafts=True,
    waits=False,
    strict=False,
    stops=False,
    whole_seconds=True,
)

_LONGEST_HINT_S: Final = 30.0


def wait_before(following: int, hint: float | None, timing: Timing) -> float:
    """Seconds to wait before attempt ``following`` (2, 3, ...), at random without a ``hint``.

    Random waits lie between 0 and min(250 · 2ⁿ, 8000) ms, n counting attempts so far.
    """
    if hint is not None:
        return hint
    return timing.chance() * min(0.25 * 2.0 ** (following - 1), 8.0)


def hinted(headers: Mapping[str, str], rules: Rules, timing: Timing) -> float | None:
    """Seconds that a response asks to wait: ``retry-after-ms``, else ``retry-after``."""
    text = headers.get("retry-after", "").strip()
    if rules.whole_seconds:
        return min(float(text), _LONGEST_HINT_S) if text.isascii() and text.isdigit() else None
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, timing.wall())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < 1e6 else None


def _until(text: str, now: float) -> float | None:
    import email.utils

    try:
        moment: datetime = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return max(moment.timestamp() - now, 0.0)


NO_LIMITS: Final = Limits()
