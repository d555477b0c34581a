"""What the policy says about one check."""

from __future__ import annotations

from decimal import Decimal

from evaltui.project import CompareRule, Policy

ZERO = Decimal(0)
_NO_RULE = CompareRule()


def tolerance_of(policy: Policy, benchmark: str, check: str) -> Decimal:
    """The policy's tolerance of a check: the narrowest entry that names it, else 0.

    Entries are ``Benchmark/check`` (``Replies/expect#1``), ``Benchmark/kind``
    (``Replies/snapshot``) and ``Benchmark``.
    """
    for name in _names(benchmark, check) if policy.tolerance else ():
        if name in policy.tolerance:
            return policy.tolerance[name]
    return ZERO


def compare_rule(policy: Policy, benchmark: str, check: str) -> CompareRule:
    """How the values of a check are compared: the narrowest entry that names it."""
    for name in _names(benchmark, check) if policy.compare else ():
        if name in policy.compare:
            return policy.compare[name]
    return _NO_RULE


def _names(benchmark: str, check: str) -> tuple[str, ...]:
    kind = check.partition("#")[0].partition(":")[0]
    return f"{benchmark}/{check}", f"{benchmark}/{kind}", benchmark
