"""The border between the compilers of expressions and statements, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.engine.carriers import Value
from evaltui.engine.effects import Dialect
from evaltui.engine.machine import Code, Machine
from evaltui.engine.pdf import Documents
from evaltui.ulx import tree

Parameters = tuple[str, ...]


class CompiledConversation(Struct):
    """A conversation; ``body`` is set once its block is compiled."""

    name: str
    parameters: Parameters
    body: Code


class CompiledRubric(Struct, frozen=True):
    """A judge or validator; ``fields`` keeps the first field of each name."""

    name: str
    kind: tree.RubricKind
    parameters: Parameters
    fields: dict[str, Code]
    template: str | None = None
    """The text of a judge's rubric with its placeholders, where it has any."""


class Declarations(Struct):
    """All that names of a program can mean at run time, filled while it is compiled."""

    conversations: dict[str, CompiledConversation] = field(default_factory=dict)
    rubrics: dict[str, CompiledRubric] = field(default_factory=dict)
    datasets: dict[str, Callable[[Machine], list[Value]]] = field(default_factory=dict)


class Scope(Struct, frozen=True):
    """Where a node stands.

    ``conversations_visible`` is False inside the messages of an explicit ``ask``, where the
    reference recognises none; ``in_loop`` tells whether a ``break`` has a loop to leave.
    """

    declarations: Declarations
    dialect: Dialect
    documents: Documents = Documents()
    conversations_visible: bool = True
    in_loop: bool = False

    def inside_ask(self) -> Scope:
        """The scope of an explicit ``ask``'s messages."""
        return replace(self, conversations_visible=False)

    def inside_loop(self) -> Scope:
        """The scope of a loop's body."""
        return self if self.in_loop else replace(self, in_loop=True)


Node = TypeVar("Node")
_Compiler = Callable[[Any, Scope], Code]
_COMPILERS: Final[dict[type[object], _Compiler]] = {}


def compiles(
    kind: type[Node],
) -> Callable[[Callable[[Node, Scope], Code]], Callable[[Node, Scope], Code]]:
    """Register the compiler of one kind of node."""

    def register(compiler: Callable[[Node, Scope], Code]) -> Callable[[Node, Scope], Code]:
        _COMPILERS[kind] = compiler
        return compiler

    return register


def compile_node(node: tree.Expr | tree.Statement | tree.Block, scope: Scope) -> Code:
    """The closure that evaluates ``node``."""
    return _COMPILERS[type(node)](node, scope)


def constant(value: Value) -> Code:
    """The closure that always answers ``value``."""

    def run(machine: Machine) -> Value:
        return value

    return run
