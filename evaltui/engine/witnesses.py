"""What an ``assert`` that does not hold can tell: its own text and the values of its sides."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from evaltui.engine.carriers import Value, truthy
from evaltui.engine.compiling import Scope, compile_node
from evaltui.engine.machine import Machine
from evaltui.engine.operators import OPERATORS
from evaltui.engine.rendering import display
from evaltui.ulx import tree

_COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LITERALS: Final = (tree.IntLiteral, tree.FloatLiteral, tree.StringLiteral)
_CONSTANTS: Final = frozenset(("true", "false"))
_LIMIT: Final = 120
"""Characters of an expression, and of a value."""


class Note(Struct, frozen=True):
    """What a part of an expression came to."""

    node: tree.Expr
    value: Value


Witness: TypeAlias = "Callable[[Machine, list[Note]], Value]"
"""Evaluates an expression once and notes the parts that made it false."""


def witness(node: tree.Expr, scope: Scope) -> Witness:
    """Compile ``node`` so that it can say why it is not true."""
    if isinstance(node, tree.Binary) and node.operator in ("and", "or"):
        return _both(node, scope)
    if isinstance(node, tree.Binary) and node.operator in _COMPARISONS:
        return _comparison(node, scope)
    code = compile_node(node, scope)

    def run(machine: Machine, notes: list[Note]) -> Value:
        found = code(machine)
        if not truthy(found):
            notes.append(Note(node, found))
        return found

    return run


def reason(node: tree.Expr, notes: list[Note]) -> str:
    """Such as ``reply.length < 200 does not hold: reply.length is 412``."""
    whole = expression_text(node)
    values = [
        f"{expression_text(note.node)} is {_shown(note.value)}"
        for note in notes
        if not _is_constant(note.node) and note.node is not node
    ]
    values = list(dict.fromkeys(values)) or [f"it is {_shown(note.value)}" for note in notes[:1]]
    return f"{whole} does not hold: {', '.join(values)}" if values else f"{whole} does not hold"


def expression_text(node: tree.Expr) -> str:
    """The expression as the formatter writes it, on one line, cut where it is long."""
    from evaltui.ulx.formatter import format_expression

    return _cut(" ".join(format_expression(node).split()))


def _both(node: tree.Binary, scope: Scope) -> Witness:
    left, right = witness(node.left, scope), witness(node.right, scope)
    stops_when = node.operator == "or"

    def run(machine: Machine, notes: list[Note]) -> Value:
        first = left(machine, notes)
        return first if truthy(first) is stops_when else right(machine, notes)

    return run


def _comparison(node: tree.Binary, scope: Scope) -> Witness:
    apply = OPERATORS[node.operator]
    left, right = compile_node(node.left, scope), compile_node(node.right, scope)

    def run(machine: Machine, notes: list[Note]) -> Value:
        first, second = left(machine), right(machine)
        found = apply(first, second)
        if not truthy(found):
            notes += (Note(node.left, first), Note(node.right, second))
        return found

    return run


def _is_constant(node: tree.Expr) -> bool:
    if isinstance(node, tree.TextBlock):
        return all(isinstance(part, str) for part in node.parts)
    if isinstance(node, tree.Variable):
        return node.name in _CONSTANTS
    return isinstance(node, _LITERALS)


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return _cut(json.dumps(value, ensure_ascii=False))
    return _cut(display(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LIMIT else f"{text[: _LIMIT - 1]}…"
