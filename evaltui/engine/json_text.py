"""JSON text to values, with the wording and places of the reference's parser.

The standard library reads what both surely read alike. Anything else goes through the byte parser
of ``json_strict``, which decides (runtime specification 1.7 and 12.8).
"""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn

from evaltui.engine.carriers import UNIT, Value
from evaltui.engine.json_strict import MAX_DEPTH, JsonError, integer, parse_strictly

__all__ = ["JsonError", "parse_json"]

_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING_OR_BRACKET: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.S)


def parse_json(text: str) -> Value:
    """One JSON document: null is Unit, 64-bit integers are Int, every other number a Float.

    Raises:
        JsonError: ``expected value at line 1 column 1`` and the like; the column counts bytes.
    """
    if _SURROGATE_ESCAPE.search(text) or _too_deep(text):
        return parse_strictly(text)
    try:
        found: Value = _DECODER.decode(text)
    except ValueError:
        return parse_strictly(text)
    return _with_units(found) if "null" in text else found


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(digits)
    return number


def _reject(word: str) -> NoReturn:
    raise ValueError(word)


def _integer(digits: str) -> int | float:
    number = integer(digits)
    if isinstance(number, float):
        return _float(digits) if number else number
    return number


_DECODER: Final = json.JSONDecoder(
    parse_float=_float, parse_int=_integer, parse_constant=_reject, strict=True
)


def _too_deep(text: str) -> bool:
    """Whether brackets nest to the limit: the C reader would use up the C stack."""
    if text.count("[") + text.count("{") < MAX_DEPTH:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.findall(text):
        if token in ("[", "{"):
            depth += 1
            if depth >= MAX_DEPTH:
                return True
        elif token in ("]", "}"):
            depth -= 1
    return False


def _with_units(value: object) -> Value:
    if value is None:
        return UNIT
    if isinstance(value, list):
        return [_with_units(item) for item in value]
    if isinstance(value, dict):
        return {key: _with_units(item) for key, item in value.items()}
    assert isinstance(value, str | int | float)
    return value
