"""Ceilings on what a run may spend, checked before each call is sent."""

from __future__ import annotations

from decimal import Decimal

from msgspec import Struct

from evaltui.providers.base import Expected

_NOTHING = Expected()


class RunStopped(BaseException):
    """No further call may be sent: the case that wanted one did not run.

    Not an ``Exception``, so that neither a program's ``retry`` nor a ``with`` swallows it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget(Struct):
    """What was spent and what may be; ``None`` is no limit. Cached answers cost nothing.

    ``promised`` is what calls in flight are expected to use.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    in_flight: int = 0
    promised_tokens: int = 0
    promised_cost: Decimal = Decimal(0)

    @property
    def foresees(self) -> bool:
        """Whether it matters what a call is expected to use."""
        return self.max_tokens is not None or self.max_cost is not None

    def claim(self, expected: Expected = _NOTHING) -> bool:
        """Count one call that is about to be sent; False when others have to end before it.

        Raises:
            RunStopped: a ceiling is reached, or would be passed; says which.
        """
        reached = self._beyond(expected, 0, Decimal(0))
        if reached:
            raise RunStopped(reached)
        if self._beyond(expected, self.promised_tokens, self.promised_cost):
            return False
        self.calls += 1
        self.in_flight += 1
        self.promised_tokens += expected.tokens
        self.promised_cost += expected.cost or 0
        return True

    def ended(self, expected: Expected = _NOTHING) -> None:
        """A call that was claimed has ended, one way or the other."""
        self.in_flight -= 1
        self.promised_tokens -= expected.tokens
        self.promised_cost -= expected.cost or 0

    def spend(self, tokens: int, cost: Decimal | None) -> None:
        """Count what a reply used."""
        self.tokens += tokens
        if cost is not None:
            self.cost += cost

    def _beyond(self, expected: Expected, tokens: int, cost: Decimal) -> str | None:
        """The ceiling that forbids another call, as the user wrote it."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"--max-calls {self.max_calls} reached"
        limit = self.max_tokens
        if limit is not None and _over(self.tokens + tokens, expected.tokens, limit):
            return f"--max-tokens {self.max_tokens} reached"
        limit_cost = self.max_cost
        if limit_cost is not None and _over(self.cost + cost, expected.cost or 0, limit_cost):
            return f"--max-cost {self.max_cost} reached"
        return None


def _over(spent: Decimal | int, more: Decimal | int, limit: Decimal | int) -> bool:
    return spent >= limit or spent + more > limit
