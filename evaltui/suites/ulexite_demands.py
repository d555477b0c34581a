"""What the benchmarks of a program will ask providers for, as far as its text says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaltui.ulx import tree
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.tree_walk import Node, benchmark_values, parts

Demand = tuple[str, str | None]
"""A capability, and the provider that the call is pinned to."""


def demands(merged: MergedProgram, benchmarks: Iterable[str]) -> set[Demand]:
    """The demands of everything that ``benchmarks`` can reach.

    A call whose provider is computed says nothing.
    """
    found: set[Demand] = set()
    reached: set[str] = set()
    waiting: list[Node] = [
        value
        for name in benchmarks
        for statement in merged.benchmarks[name].statements
        for value in benchmark_values(statement)
    ]
    while waiting:
        node = waiting.pop()
        found.update(_of(node))
        waiting.extend(parts(node))
        called = _conversation(node)
        if called in merged.conversations and called not in reached:
            reached.add(called)
            waiting.append(merged.conversations[called].body)
    return found


def _conversation(node: Node) -> str:
    """The name that a call calls; empty for anything else."""
    if isinstance(node, tree.Call) and isinstance(node.callee, tree.Variable):
        return node.callee.name
    return ""


def _of(node: Node) -> Iterator[Demand]:
    if isinstance(node, tree.Assistant):
        yield "chat", None
    elif isinstance(node, tree.Ask):
        yield from _pinned(node.capability.text, node.arguments)
    elif isinstance(node, tree.RubricCall):
        if node.kind == tree.RubricKind.JUDGE:
            yield "judge", None
    elif isinstance(node, tree.Call) and _is_embedding(node):
        yield from _pinned("embed", node.arguments)


def _pinned(capability: str, arguments: tuple[tree.Argument, ...]) -> Iterator[Demand]:
    for argument in arguments:
        if argument.name is not None and argument.name.text == "provider":
            if isinstance(argument.value, tree.StringLiteral):
                yield capability, argument.value.value
            return
    yield capability, None


def _is_embedding(node: tree.Call) -> bool:
    callee = node.callee
    return (
        isinstance(callee, tree.Field)
        and isinstance(callee.base, tree.Variable)
        and (callee.base.name, callee.name.text) == ("embedding", "of")
    )
