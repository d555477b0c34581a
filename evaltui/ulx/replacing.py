"""Trees with their file references replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from msgspec import Struct

from evaltui.ulx import tree
from evaltui.ulx.tree import FileText, Span, TextBlock

Node = TypeVar("Node", bound=tree.Declaration | TextBlock)
Replacement = Callable[[FileText], TextBlock]

_NODES: dict[type, tuple[str, ...]] = {
    kind: kind.__struct_fields__
    for kind in vars(tree).values()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind is not tree.Name
}


def replace_files(node: Node, block: Replacement) -> Node:
    """``node`` with every file reference in it replaced by ``block(reference)``.

    Parts without file references are shared with ``node``.
    """
    return cast(Node, _replaced(node, block))


def _replaced(value: object, block: Replacement) -> object:
    if isinstance(value, FileText):
        return block(value)
    if isinstance(value, tuple):
        return value if isinstance(value, Span) else _replaced_items(value, block)
    names = _NODES.get(type(value))
    return value if names is None else _replaced_members(value, names, block)


def _replaced_items(items: tuple[object, ...], block: Replacement) -> tuple[object, ...]:
    changed = False
    new = []
    for item in items:
        other = _replaced(item, block)
        changed = changed or other is not item
        new.append(other)
    return tuple(new) if changed else items


def _replaced_members(node: object, names: tuple[str, ...], block: Replacement) -> object:
    changed = False
    new = []
    for name in names:
        member = getattr(node, name)
        other = _replaced(member, block)
        changed = changed or other is not member
        new.append(other)
    return type(node)(*new) if changed else node
