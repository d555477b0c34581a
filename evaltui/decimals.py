"""Decimal numbers from people: of a size and length that can be computed with and shown."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

_MOST_DIGITS: Final = 50


def decimal_of(value: int | str | Decimal) -> Decimal | None:
    """The number that ``value`` spells.

    None when it spells none, is infinite, or when it or its places take more than 50 digits: such a
    number would fill memory wherever it is written out.
    """
    if isinstance(value, str) and len(value.strip()) > 2 * _MOST_DIGITS:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and _is_short(number) else None


def _is_short(number: Decimal) -> bool:
    parts = number.as_tuple()
    places = int(parts.exponent)
    return len(parts.digits) + max(places, 0) <= _MOST_DIGITS and -places <= _MOST_DIGITS
