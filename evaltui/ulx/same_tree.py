"""Whether two trees mean the same, wherever their parts stand."""

from __future__ import annotations

from msgspec import Struct

from evaltui.ulx import tree

_MEMBERS: dict[type, tuple[str, ...]] = {
    kind: tuple([name for name in kind.__struct_fields__ if name != "span"])
    for kind in vars(tree).values()
    if isinstance(kind, type) and issubclass(kind, Struct)
}


def same_tree(first: object, second: object) -> bool:
    """Whether two nodes, or tuples of nodes, are equal but for their spans."""
    waiting = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, tuple) and isinstance(other, tuple):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif members := _MEMBERS.get(type(one)):
            waiting += [(getattr(one, name), getattr(other, name)) for name in members]
        elif type(one) not in _MEMBERS and one != other:
            return False
    return True
