"""Totals over the rows of a run, kept up to date row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct

from evaltui.models import CaseSummary, Outcome

_JUDGED = (Outcome.PASS, Outcome.FAIL, Outcome.REVIEW)


class Totals(Struct, frozen=True):
    """Numbers over rows."""

    counts: Mapping[Outcome, int]
    """Every outcome, also those that did not occur."""
    red: int
    undecided: int
    """Red cases that nobody has decided anything about."""
    waived: int
    calls: int
    cache_hits: int
    tokens: int
    cost: Decimal
    pass_rate: str
    """``97.4% (37 of 38)``: pass of pass, fail and review."""


class Tally:
    """Adds rows and takes them away again; nothing but rows ever changes a number."""

    def __init__(self) -> None:
        self._counts: Counter[Outcome] = Counter()
        self._red = self._undecided = self._waived = 0
        self._calls = self._hits = self._tokens = 0
        self._cost = Decimal(0)

    def add(self, row: CaseSummary, sign: int = 1) -> None:
        """Count a row; with ``sign`` -1 forget it."""
        self._counts[row.outcome] += sign
        if row.red:
            self._red += sign
            self._undecided += sign * row.undecided
        self._waived += sign * row.waived
        self._calls += sign * row.calls
        self._hits += sign * row.cache_hits
        self._tokens += sign * row.tokens
        if row.cost is not None:
            self._cost += sign * row.cost

    def totals(self) -> Totals:
        """The numbers now."""
        passed = self._counts[Outcome.PASS]
        return Totals(
            {outcome: self._counts[outcome] for outcome in Outcome},
            self._red,
            self._undecided,
            self._waived,
            self._calls,
            self._hits,
            self._tokens,
            self._cost,
            pass_rate(passed, sum(self._counts[outcome] for outcome in _JUDGED)),
        )


def pass_rate(passed: int, answered: int) -> str:
    """``97.4% (37 of 38)``, rounded down so that only a full house reads 100%."""
    if not answered:
        return "none (nothing was answered)"
    tenths = passed * 1000 // answered
    return f"{tenths // 10}.{tenths % 10}% ({passed} of {answered})"
