"""Numbers that no JSON holds, in answers and in values that were kept."""

from __future__ import annotations

import math
from typing import Final

from evaltui.engine.carriers import Unit, Value, Verdict
from evaltui.engine.json_text import JsonError, parse_json
from evaltui.engine.tagging import from_tagged, untagged

_LOST: Final = float("nan")


def is_finite(value: Value) -> bool:
    """Whether every number in ``value`` is one: no infinity, no NaN."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Verdict):
        return not isinstance(value.payload, float) or math.isfinite(value.payload)
    if isinstance(value, list):
        return all(map(is_finite, value))
    return not isinstance(value, dict) or all(map(is_finite, value.values()))


def recalled(text: str) -> Value:
    """The value that was kept as tagged JSON, for people: numbers that were lost are NaN.

    Infinities and NaN are written as null (runtime specification 1.4), which is no value.

    Raises:
        JsonError: not tagged JSON.
    """
    try:
        return untagged(text)
    except JsonError:
        return from_tagged(_with_lost_numbers(parse_json(text)))


def _with_lost_numbers(node: Value) -> Value:
    if isinstance(node, list):
        return [_with_lost_numbers(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("kind") == "Float" and isinstance(node.get("value"), Unit):
        return {**node, "value": _LOST}
    body = node.get("value")
    if node.get("kind") == "Verdict" and isinstance(body, dict):
        found: Value = {name: _LOST if isinstance(one, Unit) else one for name, one in body.items()}
        return {**node, "value": found}
    return {name: _with_lost_numbers(item) for name, item in node.items()}
