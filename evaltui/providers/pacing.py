"""Keeps a provider below its rate: requests and tokens a minute, and pauses it asks for."""

from __future__ import annotations

from typing import Final

from evaltui.project import Limits
from evaltui.providers.rules import Timing

_BURST_S: Final = 1.0
"""How much of the rate may be used at once after a quiet time."""


class Pacer:
    """Admits calls one after the other; the wait for a place is fair."""

    def __init__(self, limits: Limits, timing: Timing) -> None:
        self._timing = timing
        self._rates = [
            _Rate(limits.requests_per_minute, timing.now()),
            _Rate(limits.tokens_per_minute, timing.now()),
        ]
        self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        """Admit nobody for so long: the server asked for it."""
        self._paused_until = max(self._paused_until, self._timing.now() + seconds)

    def reserve(self, tokens: int) -> float:
        """Take a place for a request of about ``tokens``; answers the seconds until it may go."""
        now = self._timing.now()
        requests, used = self._rates
        # How much one call uses is only an estimate: it waits for earlier calls, not for itself.
        waits = requests.take(1, now), used.take(tokens, now) - used.seconds(tokens)
        return max(*waits, self._paused_until - now, 0.0)

    def correct(self, tokens: int) -> None:
        """A request used so many tokens more (or fewer) than was reserved."""
        self._rates[1].take(tokens, self._timing.now())


class _Rate:
    """A bucket that fills steadily and may be overdrawn: debts are waited for."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._per_second = None if per_minute is None else per_minute / 60
        self._burst = 0.0 if self._per_second is None else max(1.0, self._per_second * _BURST_S)
        self._left = self._burst
        self._at = now

    def take(self, amount: float, now: float) -> float:
        if self._per_second is None:
            return 0.0
        filled = self._left + (now - self._at) * self._per_second
        self._left = min(filled, self._burst) - amount
        self._at = now
        return -self._left / self._per_second

    def seconds(self, amount: float) -> float:
        """How long the bucket takes to fill by ``amount``."""
        return 0.0 if self._per_second is None else amount / self._per_second
