"""The Python carriers of run-time values, their equality and truth (runtime specification 1).

Text is ``str``, Int ``int``, Float ``float``, Bool ``bool``, List ``list``, Record ``dict``. Values
are never changed in place: whoever holds one may keep it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct


class Verdict(Struct, frozen=True):
    """What a judge says; ``payload`` is the reason of a Fail or the number of a Score."""

    variant: Literal["Pass", "Fail", "Score", "Escalate"]
    payload: str | float | None = None


class Unsettled(Struct, frozen=True):
    """A draft that is not an answer; ``reason`` only for Refused."""

    variant: Literal["Refused", "RateLimited", "Timeout"]
    reason: str | None = None


class Unit:
    """The value of nothing; there is one, ``UNIT``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNIT"


UNIT: Final = Unit()
PASS: Final = Verdict("Pass")
ESCALATE: Final = Verdict("Escalate")
TIMEOUT: Final = Unsettled("Timeout")
RATE_LIMITED: Final = Unsettled("RateLimited")

Value: TypeAlias = (
    "str | int | float | bool | list[Value] | dict[str, Value] | Verdict | Unsettled | Unit"
)


def fail(reason: str) -> Verdict:
    """A Fail verdict."""
    return Verdict("Fail", reason)


def score(number: float) -> Verdict:
    """A Score verdict, unclamped."""
    return Verdict("Score", float(number))


def refused(reason: str) -> Unsettled:
    """A Refused draft."""
    return Unsettled("Refused", reason)


def truthy(value: Value) -> bool:
    """Truth of a value (runtime specification 1.3).

    Only false, zero, empty text, the empty list and Unit are false: the empty record, every
    verdict and every draft are true.
    """
    if isinstance(value, dict | Verdict | Unsettled):
        return True
    return False if isinstance(value, Unit) else bool(value)


def equal(left: Value, right: Value) -> bool:
    """Structural equality, strict about the variant: ``1`` differs from ``1.0`` (1.3)."""
    kind = type(left)
    if kind is not type(right):
        return False
    if isinstance(left, list):
        return _equal_lists(left, right)
    if isinstance(left, dict):
        return _equal_records(left, right)
    if isinstance(left, Verdict) and isinstance(right, Verdict):
        return left.variant == right.variant and _equal_payloads(left.payload, right.payload)
    return bool(left == right)


def _equal_payloads(left: str | float | None, right: str | float | None) -> bool:
    # A tuple comparison would call a NaN score equal to itself.
    return left == right


def _equal_lists(left: list[Value], right: Value) -> bool:
    if not isinstance(right, list) or len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):  # noqa: SIM110 - recursion stays out of C
        if not equal(one, other):
            return False
    return True


def _equal_records(left: dict[str, Value], right: Value) -> bool:
    if not isinstance(right, dict) or left.keys() != right.keys():
        return False
    for key, value in left.items():  # noqa: SIM110 - recursion stays out of C
        if not equal(value, right[key]):
            return False
    return True
