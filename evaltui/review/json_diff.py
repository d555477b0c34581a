"""Two JSON-like values side by side: a tree of the paths that changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from evaltui.review.spans import Role, Span
from evaltui.review.text_diff import Row, diff_words
from evaltui.text import one_line

_KEYS = ("id", "key", "name")
_LINE = 400
_MISSING = object()


class JsonDiff(Struct, frozen=True):
    """``rows`` of the tree; ``changes`` counts paths; ``matched`` says how lists were aligned."""

    rows: list[Row]
    changes: int
    shown: int
    matched: str


class _Node(Struct):
    """A place in the tree: what changed here, or further down."""

    children: dict[str | int, _Node] = field(default_factory=dict)
    old: Any = _MISSING
    new: Any = _MISSING
    changed: bool = False


def diff_json(old: Any, new: Any, limit: int = 500) -> JsonDiff:  # noqa: ANN401 - any JSON value
    """Compare plain JSON values; at most ``limit`` changed paths become rows.

    Lists of records that all carry an ``id``, ``key`` or ``name`` are matched by it, others in
    order.
    """
    keys: set[str] = set()
    old, new = _keyed(old, new, keys)
    changes = _changes(old, new)
    root = _Node()
    for path, before, after in changes[:limit]:
        node = root
        for step in path:
            node = node.children.setdefault(step, _Node())
        node.old, node.new, node.changed = before, after, True
    rows = list(_rows(root, old, new, 0))
    matched = f"lists matched by {', '.join(sorted(keys))}" if keys else "lists matched in order"
    return JsonDiff(rows, len(changes), min(limit, len(changes)), matched)


def _changes(old: Any, new: Any) -> list[tuple[list[str | int], Any, Any]]:  # noqa: ANN401
    """(path, old, new) of every difference, in the order of the paths."""
    from deepdiff import DeepDiff

    tree = DeepDiff(old, new, view="tree", verbose_level=2, threshold_to_diff_deeper=0)
    found = [
        (level.path(output_format="list"), _side(level.t1), _side(level.t2))
        for levels in tree.values()
        for level in levels
    ]
    found.sort(key=lambda change: [(isinstance(step, str), step) for step in change[0]])
    return found


def _side(value: Any) -> Any:  # noqa: ANN401
    return _MISSING if repr(value) == "not present" else value


def _keyed(old: Any, new: Any, used: set[str]) -> tuple[Any, Any]:  # noqa: ANN401
    """Both values with lists of keyed records turned into records, where both sides allow."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = {name: _keyed(old[name], new[name], used) for name in old if name in new}
        left = {name: pairs[name][0] if name in pairs else old[name] for name in old}
        return left, {name: pairs[name][1] if name in pairs else new[name] for name in new}
    if isinstance(old, list) and isinstance(new, list):
        for key in _KEYS:
            before, after = _by_key(old, key), _by_key(new, key)
            if before and after:
                used.add(key)
                return _keyed(before, after, used)
    return old, new


def _by_key(items: list[Any], key: str) -> dict[str, Any] | None:
    """Records by their key; None unless each has one and no two are the same."""
    found = {
        f"[{key}={item[key]}]": item
        for item in items
        if isinstance(item, dict) and isinstance(item.get(key), str | int)
    }
    return found if len(found) == len(items) else None


def _rows(node: _Node, old: Any, new: Any, depth: int) -> Iterator[Row]:  # noqa: ANN401
    for step, child in node.children.items():
        label = "  " * depth + (f"[{step}]" if isinstance(step, int) else one_line(step, 80))
        if child.changed:
            yield from _leaf(label, child)
        else:
            yield Row((Span(label, Role.LABEL),), (Span(label, Role.LABEL),))
            yield from _rows(child, _member(old, step), _member(new, step), depth + 1)
    same = _unchanged(node, old, new)
    if same:
        text = "  " * depth + f"{same} unchanged"
        yield Row((Span(text, Role.QUIET),), (Span(text, Role.QUIET),))


def _member(value: Any, step: str | int) -> Any:  # noqa: ANN401
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return _MISSING


def _unchanged(node: _Node, old: Any, new: Any) -> int:  # noqa: ANN401
    if isinstance(old, dict) and isinstance(new, dict):
        return len((old.keys() | new.keys()) - node.children.keys())
    size = max((len(side) for side in (old, new) if isinstance(side, list)), default=0)
    return max(size - len(node.children), 0)


def _leaf(label: str, node: _Node) -> Iterator[Row]:
    before, after = Span(f"{label}: ", Role.OLD), Span(f"{label}: ", Role.NEW)
    if isinstance(node.old, str) and isinstance(node.new, str):
        left, right = diff_words(one_line(node.old, _LINE), one_line(node.new, _LINE))
        yield Row((before, *left), (after, *right), True)
        return
    old = None if node.old is _MISSING else (before, Span(_short(node.old), Role.OLD_WORD))
    new = None if node.new is _MISSING else (after, Span(_short(node.new), Role.NEW_WORD))
    yield Row(old, new, True)


def _short(value: Any) -> str:  # noqa: ANN401
    return one_line(json.dumps(value, ensure_ascii=False), _LINE)
