"""How numbers are written in sources and messages."""

from __future__ import annotations

from decimal import Decimal


def shortest_decimal(value: float) -> str:
    """The shortest decimal that reads back as ``value``: no exponent, no trailing ``.0``."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")


def float_literal(value: float) -> str:
    """``value`` as a source writes it: always with a point, never with an exponent."""
    text = shortest_decimal(value)
    return text if "." in text or not text[-1].isdigit() else f"{text}.0"
