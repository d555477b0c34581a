"""Ceilings on what a run may spend, checked before each call is sent."""

from __future__ import annotations

from decimal import Decimal

from msgspec import Struct


class RunStopped(BaseException):
    """No further call may be sent: the case that wanted one did not run.

    Not an ``Exception``, so that neither a program's ``retry`` nor a ``with`` swallows it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget(Struct):
    """What was spent and what may be; ``None`` is no limit. Cached answers cost nothing."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)

    def claim(self) -> None:
        """Count one call that is about to be sent.

        Raises:
            RunStopped: a ceiling is reached; says which.
        """
        reached = self.reached()
        if reached:
            raise RunStopped(reached)
        self.calls += 1

    def spend(self, tokens: int, cost: Decimal | None) -> None:
        """Count what a reply used."""
        self.tokens += tokens
        if cost is not None:
            self.cost += cost

    def reached(self) -> str | None:
        """The ceiling that forbids another call, as the user wrote it."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return f"--max-calls {self.max_calls} reached"
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            return f"--max-tokens {self.max_tokens} reached"
        if self.max_cost is not None and self.cost >= self.max_cost:
            return f"--max-cost {self.max_cost} reached"
        return None
