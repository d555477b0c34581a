"""The difference between two values, as rows for a paired view.

Values come as tagged JSON. Text is compared word by word, JSON-like values path by path, numbers as
decimals. What is longer than ``limit`` is cut before it is compared, and a note says so.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from msgspec import Struct

from evaltui.review.spans import Role, lines, safe_lines
from evaltui.review.text_diff import Row, diff_texts

LIMIT = 20_000
_LINES = 400
_BY_PATH = 3_000_000
"""Characters of tagged JSON, some 40,000 leaves, up to which values are compared path by path."""


class ValueDiff(Struct, frozen=True):
    """``kind`` is ``same``, ``text``, ``json``, ``number``, ``new`` or ``gone``."""

    kind: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def diff_values(
    old: str | None, new: str | None, *, tolerance: str = "0", limit: int = LIMIT
) -> ValueDiff:
    """Compare two tagged values; either may be absent.

    Raises:
        JsonError: a side is not tagged JSON.
    """
    if old is None or new is None:
        return _one_sided(old, new, limit)
    if old == new:
        text, notes = cut(value_text(old), limit)
        return ValueDiff("same", tuple(Row(part, part) for part in lines(text)), notes)
    before, after = _plain(old), _plain(new)
    numbers = _numbers(old, new)
    if numbers is not None:
        return _number_diff(*numbers, tolerance)
    alike = isinstance(before, dict | list) and type(before) is type(after)
    if alike and len(old) + len(new) <= _BY_PATH:
        return _structural(before, after, max(limit // 40, 20))
    return _textual(value_text(old), value_text(new), limit)


def value_text(tagged: str) -> str:
    """A value as people read it: text as it is, records and lists as indented JSON."""
    from evaltui.engine.finite import recalled
    from evaltui.engine.values import display

    value = recalled(tagged)
    if isinstance(value, dict | list):
        return json.dumps(_plain(tagged), indent=2, ensure_ascii=False)
    return display(value)


def cut(text: str, limit: int) -> tuple[str, tuple[str, ...]]:
    """At most ``limit`` characters and 400 lines, and a note when that is not all."""
    if len(text) > limit:
        return text[:limit], (f"showing first {limit:,} of {len(text):,} characters",)
    count = text.count("\n") + 1
    if count > _LINES:
        head = "\n".join(text.split("\n", _LINES)[:_LINES])
        return head, (f"showing first {_LINES} of {count:,} lines",)
    return text, ()


def _plain(tagged: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value as plain JSON; text that holds a JSON record or list counts as that."""
    from evaltui.engine.finite import recalled
    from evaltui.engine.values import Unit, Unsettled, Verdict, display, natural

    value = recalled(tagged)
    if isinstance(value, Unit | Unsettled | Verdict):
        return display(value)
    if not isinstance(value, str):
        return json.loads(natural(value))
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _one_sided(old: str | None, new: str | None, limit: int) -> ValueDiff:
    tagged = new if old is None else old
    if tagged is None:
        return ValueDiff("same", ())
    text, notes = cut(value_text(tagged), limit)
    if old is None:
        rows = tuple(Row(None, part, True) for part in lines(text, Role.NEW))
        return ValueDiff("new", rows, notes)
    return ValueDiff("gone", tuple(Row(part, None, True) for part in lines(text, Role.OLD)), notes)


def _numbers(old: str, new: str) -> tuple[Decimal, Decimal] | None:
    from evaltui.engine.finite import is_finite, recalled
    from evaltui.engine.values import Verdict, display

    found = []
    for value in (recalled(old), recalled(new)):
        number = value.payload if isinstance(value, Verdict) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            return None
        if not is_finite(number):
            return None
        try:
            found.append(Decimal(display(number)))
        except InvalidOperation:
            return None
    return found[0], found[1]


def _number_diff(old: Decimal, new: Decimal, tolerance: str) -> ValueDiff:
    moved, allowed = new - old, Decimal(tolerance or "0")
    beyond = abs(moved) - allowed
    note = f"moved {moved:+f}, tolerance {allowed:f}: "
    note += "inside" if beyond <= 0 else f"beyond by {beyond:f}"
    row = Row(lines(f"{old:f}", Role.OLD_WORD)[0], lines(f"{new:f}", Role.NEW_WORD)[0], True)
    return ValueDiff("number", (row,), (note,))


def _structural(before: Any, after: Any, limit: int) -> ValueDiff:  # noqa: ANN401
    from evaltui.review.json_diff import diff_json

    found = diff_json(before, after, limit)
    if not found.changes:
        return ValueDiff("json", (), ("the same values, written differently",))
    notes = [f"{found.changes:,} changed path" + ("s" if found.changes > 1 else "")]
    if isinstance(before, list) or "[" in json.dumps(before)[:100_000]:
        notes.append(found.matched)
    if found.shown < found.changes:
        notes.append(f"showing first {found.shown:,} of {found.changes:,} paths")
    return ValueDiff("json", tuple(found.rows), tuple(notes))


def _textual(old: str, new: str, limit: int) -> ValueDiff:
    left, cut_left = cut(old, limit)
    right, cut_right = cut(new, limit)
    notes = list(dict.fromkeys((*cut_left, *cut_right)))
    if safe_lines(left) == safe_lines(right):
        where = "after what is shown" if notes else "only in characters that are drawn alike"
        notes.append(f"the texts differ {where}")
    return ValueDiff("text", tuple(diff_texts(left, right)), tuple(notes))
