"""The parts of a tree node, in source order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaltui.ulx import tree
from evaltui.ulx.tree import Argument, BenchmarkStatement, Block, Expr, Statement

Node = Expr | Statement | Block
Parts = list[Node]


def parts(node: Node) -> Parts:
    """The expressions, statements and blocks directly inside ``node``."""
    return _PARTS[type(node)](node)


def argument_values(arguments: tuple[Argument, ...]) -> Parts:
    """The values of call arguments."""
    return [argument.value for argument in arguments]


def benchmark_values(statement: BenchmarkStatement) -> list[Expr]:
    """The expressions of a benchmark statement, in the order they are evaluated."""
    match statement:
        case tree.UseDataset():
            return []
        case tree.Run(value=value) | tree.Assert(value=value):
            return [value]
        case tree.Expect(subject=first, judge=second) | tree.Snapshot(value=first, key=second):
            return [first, second]


def _none(_: object) -> Parts:
    return []


def _block(node: Block) -> Parts:
    return [*node.statements, *([] if node.tail is None else [node.tail])]


_PARTS: dict[type, Callable[[Any], Parts]] = {
    tree.IntLiteral: _none,
    tree.FloatLiteral: _none,
    tree.StringLiteral: _none,
    tree.FileText: _none,
    tree.Variable: _none,
    tree.Row: _none,
    tree.Assistant: _none,
    tree.TextBlock: lambda node: [part for part in node.parts if not isinstance(part, str)],
    tree.RecordLiteral: lambda node: [value for _, value in node.fields],
    tree.Unary: lambda node: [node.operand],
    tree.Binary: lambda node: [node.left, node.right],
    tree.Field: lambda node: [node.base],
    tree.Index: lambda node: [node.base, node.index],
    tree.Call: lambda node: [node.callee, *argument_values(node.arguments)],
    tree.GenericCall: lambda node: argument_values(node.arguments),
    tree.If: lambda node: [node.condition, node.then, node.otherwise],
    tree.Retry: lambda node: [node.body, *([] if node.otherwise is None else [node.otherwise])],
    tree.Escalate: lambda node: [value for _, value in node.arguments],
    tree.RubricCall: lambda node: argument_values(node.arguments),
    tree.Ask: lambda node: [*argument_values(node.arguments), node.body],
    tree.Message: lambda node: [node.text],
    tree.Binding: lambda node: [node.value],
    tree.With: lambda node: list(node.bindings),
    tree.AskStatement: lambda node: [node.ask],
    tree.Match: lambda node: [node.subject, *[arm.body for arm in node.arms]],
    tree.For: lambda node: [node.items, node.body],
    tree.While: lambda node: [node.condition, node.body],
    tree.Break: lambda node: [] if node.value is None else [node.value],
    tree.ExpressionStatement: lambda node: [node.value],
    tree.Block: _block,
}
