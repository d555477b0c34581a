"""How a new value differs from an old one.

Numbers are compared as decimals of their shortest digits, so that 0.75 is exactly 0.05 away from
0.7 and lies inside a tolerance of 0.05.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from math import isfinite

from msgspec import Struct

from evaltui.engine.values import Unit, Unsettled, Value, Verdict
from evaltui.review.shapes import shape_of, text_shape
from evaltui.review.similarity import alike

ROOT = "$"


class Difference(Struct, frozen=True):
    """One place at which two values differ.

    ``path`` is like ``$.items[2].price``; ``kind`` is ``number``, ``changed``, ``type``, ``added``
    or ``removed``; ``moved`` is new minus old for numbers.
    """

    path: str
    kind: str
    old: Value | None
    new: Value | None
    moved: Decimal | None = None


class Change(Struct, frozen=True):
    """All that differs between an old and a new value."""

    differences: tuple[Difference, ...]
    distance: Decimal | None
    """The largest move of a number when nothing else differs; None when something else does."""
    delta: str
    """For people, e.g. ``+0.03``, ``91% alike``, ``2 changed, 1 added``."""
    shape: str
    """Digest of the shape of the change."""

    @property
    def equal(self) -> bool:
        return not self.differences

    def within(self, tolerance: Decimal) -> bool:
        """Whether nothing but numbers moved, and none by more than ``tolerance``.

        A tolerance of 0 asks for equality, which also tells 2 from 2.0.
        """
        if tolerance <= 0 or self.distance is None:
            return self.equal
        return self.distance <= tolerance


EQUAL = Change((), Decimal(0), "", "")


def compare(old: Value, new: Value, list_key: str | None = None) -> Change:
    """The change from ``old`` to ``new``.

    Lists of records that all have a text of their own in the field ``list_key`` are matched by it,
    whatever their order; all other lists are matched in order.
    """
    differences = tuple(_Walk(list_key).walk(ROOT, old, new))
    if not differences:
        return EQUAL
    return Change(differences, _distance(differences), _delta(differences), _shape(differences))


def decimal_of(value: Value) -> Decimal | None:
    """The number that a numeric leaf or a Score verdict holds; None for anything else."""
    if isinstance(value, Verdict):
        value = value.payload if value.variant == "Score" and value.payload is not None else ""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return Decimal(repr(value))


def signed(number: Decimal) -> str:
    """A number with its sign and no needless zeros: ``+0.03``."""
    text = f"{number:+f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain(number: Decimal) -> str:
    """A number without exponent and needless zeros: ``0.05``."""
    return signed(number).lstrip("+")


class _Walk(Struct, frozen=True):
    """Goes through two values at once and finds where they differ."""

    list_key: str | None

    def walk(self, path: str, old: Value, new: Value) -> Iterator[Difference]:
        if isinstance(old, dict) and isinstance(new, dict):
            yield from self._members(path, ".", "", old, new)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._lists(path, old, new)
        else:
            yield from _leaf(path, old, new)

    def _lists(self, path: str, old: list[Value], new: list[Value]) -> Iterator[Difference]:
        before, after = _by_key(old, self.list_key), _by_key(new, self.list_key)
        if before is None or after is None:
            before, after = _by_place(old), _by_place(new)
        yield from self._members(path, "[", "]", before, after)

    def _members(
        self, path: str, before: str, after: str, old: dict[str, Value], new: dict[str, Value]
    ) -> Iterator[Difference]:
        for name in dict.fromkeys((*old, *new)):
            place = f"{path}{before}{name}{after}"
            if name not in new:
                yield Difference(place, "removed", old[name], None)
            elif name not in old:
                yield Difference(place, "added", None, new[name])
            else:
                yield from self.walk(place, old[name], new[name])


def _by_place(items: list[Value]) -> dict[str, Value]:
    return {str(number): item for number, item in enumerate(items)}


def _by_key(items: list[Value], name: str | None) -> dict[str, Value] | None:
    """The records of a list by the text of one field; None when that does not identify them."""
    if name is None:
        return None
    found: dict[str, Value] = {}
    for item in items:
        key = item.get(name) if isinstance(item, dict) else None
        if not isinstance(key, str) or key in found:
            return None
        found[key] = item
    return found


def _leaf(path: str, old: Value, new: Value) -> Iterator[Difference]:
    if type(old) is type(new) and old == new:
        return
    before, after = decimal_of(old), decimal_of(new)
    comparable = isinstance(old, Verdict) == isinstance(new, Verdict)
    if before is not None and after is not None and comparable:
        yield Difference(path, "number", old, new, after - before)
    else:
        same = kind_of(old) == kind_of(new)
        yield Difference(path, "changed" if same else "type", old, new)


def kind_of(value: Value) -> str:
    """The variant of a value as tagged JSON names it; verdicts and drafts with their variant."""
    if isinstance(value, Verdict | Unsettled):
        return value.variant
    if isinstance(value, bool):
        return "Bool"
    names = {str: "Text", int: "Int", float: "Float", list: "List", dict: "Record", Unit: "Unit"}
    return names[type(value)]


def _distance(differences: tuple[Difference, ...]) -> Decimal | None:
    moves = [abs(one.moved) for one in differences if one.moved is not None]
    return max(moves) if len(moves) == len(differences) else None


def _delta(differences: tuple[Difference, ...]) -> str:
    if len(differences) == 1:
        return _delta_of(differences[0])
    moves = [one.moved for one in differences if one.moved is not None]
    if len(moves) == len(differences):
        return f"{signed(max(moves, key=abs))} at most, {len(moves)} numbers"
    counts = {
        "changed": sum(one.kind in ("changed", "number", "type") for one in differences),
        "added": sum(one.kind == "added" for one in differences),
        "removed": sum(one.kind == "removed" for one in differences),
    }
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _delta_of(one: Difference) -> str:
    if one.moved is not None:
        return signed(one.moved)
    if isinstance(one.old, str) and isinstance(one.new, str):
        return f"{alike(one.old, one.new)}% alike"
    if one.kind == "type" and one.old is not None and one.new is not None:
        return f"{kind_of(one.old)} to {kind_of(one.new)}"
    return f"1 {one.kind}"


def _shape(differences: tuple[Difference, ...]) -> str:
    first = differences[0]
    if first.path == ROOT and isinstance(first.old, str) and isinstance(first.new, str):
        return text_shape(first.old, first.new)
    return shape_of(_outline(one) for one in differences)


def _outline(one: Difference) -> str:
    old = "" if one.old is None else kind_of(one.old)
    new = "" if one.new is None else kind_of(one.new)
    return f"{one.path} {one.kind} {old} {new}"
