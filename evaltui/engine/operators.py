"""Operators, field access and indexing (runtime specification 2.4 and 2.5)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final

from evaltui.engine.carriers import Value, equal
from evaltui.engine.failures import cannot, type_error
from evaltui.engine.rendering import display

_WRAP: Final = 2**64
_HALF: Final = 2**63
_ORDERINGS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Operator = Callable[[Value, Value], Value]


def wrap(number: int) -> int:
    """``number`` as a 64-bit signed integer, wrapped around."""
    return (number + _HALF) % _WRAP - _HALF


def negate(value: Value) -> Value:
    """``-value`` for an Int or Float.

    Raises:
        RuntimeFailure: another kind of value.
    """
    if type(value) is int:
        return wrap(-value)
    if type(value) is float:
        return -value
    raise cannot("cannot negate {}", value)


def add(left: Value, right: Value) -> Value:
    """``left + right`` for two Ints, two Floats or two Texts.

    Raises:
        RuntimeFailure: other kinds, also an Int with a Float.
    """
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if type(left) is int and type(right) is int:
        return wrap(left + right)
    if type(left) is float and type(right) is float:
        return left + right
    raise cannot("cannot add {} and {}", left, right)


def subtract(left: Value, right: Value) -> Value:
    """The difference of two numbers, always a Float.

    Raises:
        RuntimeFailure: not two numbers.
    """
    pair = _floats(left, right)
    if pair is None:
        raise cannot("cannot subtract {1} from {0}", left, right)
    return pair[0] - pair[1]


def multiply(left: Value, right: Value) -> Value:
    """The product of two numbers, always a Float.

    Raises:
        RuntimeFailure: not two numbers.
    """
    pair = _floats(left, right)
    if pair is None:
        raise cannot("cannot multiply {} and {}", left, right)
    return pair[0] * pair[1]


def divide(left: Value, right: Value) -> Value:
    """The quotient of two numbers, always a Float; by zero it is infinite or NaN.

    Raises:
        RuntimeFailure: not two numbers.
    """
    pair = _floats(left, right)
    if pair is None:
        raise cannot("cannot divide {} by {}", left, right)
    above, below = pair
    if below:
        return above / below
    if above == 0 or math.isnan(above):
        return math.nan
    return math.copysign(math.inf, above) * math.copysign(1, below)


def _floats(left: Value, right: Value) -> tuple[float, float] | None:
    if _is_number(left) and _is_number(right):
        return float(left), float(right)  # type: ignore[arg-type]
    return None


def _is_number(value: Value) -> bool:
    return type(value) is int or type(value) is float


def ordering(symbol: str) -> Operator:
    """One of ``< <= > >=`` over two numbers; an Int beside a Float becomes a double first."""
    compare = _ORDERINGS[symbol]

    def apply(left: Value, right: Value) -> Value:
        if type(left) is int and type(right) is int:
            return compare(left, right)
        pair = _floats(left, right)
        if pair is None:
            raise cannot("cannot compare {} and {}", left, right)
        return compare(*pair)

    return apply


def _same(left: Value, right: Value) -> Value:
    return equal(left, right)


def _different(left: Value, right: Value) -> Value:
    return not equal(left, right)


OPERATORS: Final[dict[str, Operator]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "==": _same,
    "!=": _different,
    **{symbol: ordering(symbol) for symbol in _ORDERINGS},
}
"""Every operator that evaluates both sides."""


def field_of(value: Value, name: str) -> Value:
    """``value.name``: a record's field, or the ``length`` of a list or text.

    Raises:
        RuntimeFailure: there is no such field.
    """
    if isinstance(value, dict):
        if name not in value:
            raise type_error(f"no field `{name}`")
        return value[name]
    if name == "length" and isinstance(value, list | str):
        return len(value)
    raise type_error(f"cannot access field `{name}` on {display(value)}")


def item_of(value: Value, index: Value) -> Value:
    """``value[index]`` of a list, counted from zero.

    Raises:
        RuntimeFailure: out of range, or not a list and an Int.
    """
    if not isinstance(value, list) or type(index) is not int:
        raise type_error("indexing requires a list and an int")
    if not 0 <= index < len(value):
        raise type_error("index out of range")
    return value[index]
