"""A merged program as closures, compiled once and run as often as needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from evaltui.engine import asking, calls, expressions, statements
from evaltui.engine.benchmark import CompiledBenchmark, compile_benchmark
from evaltui.engine.carriers import UNIT
from evaltui.engine.compiling import (
    CompiledConversation,
    CompiledRubric,
    Declarations,
    Scope,
    compile_node,
    constant,
)
from evaltui.engine.datasets import dataset_loader
from evaltui.engine.effects import Dialect
from evaltui.engine.failures import unknown
from evaltui.engine.pdf import Documents
from evaltui.ulx import tree
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.positions import line_and_column

# Each of these modules registers the compilers of its kinds of node.
_COMPILERS = (asking, calls, expressions, statements)


class CompiledProgram(Struct, frozen=True):
    """Everything of a program that can be run, by name."""

    declarations: Declarations
    benchmarks: Mapping[str, CompiledBenchmark]

    def benchmark(self, name: str) -> CompiledBenchmark:
        """The benchmark of this name.

        Raises:
            RuntimeFailure: there is none.
        """
        found = self.benchmarks.get(name)
        if found is None:
            raise unknown("benchmark", name)
        return found

    def conversation(self, name: str) -> CompiledConversation:
        """The conversation of this name.

        Raises:
            RuntimeFailure: there is none.
        """
        found = self.declarations.conversations.get(name)
        if found is None:
            raise unknown("conversation", name)
        return found


def compile_program(
    merged: MergedProgram, dialect: Dialect, *, root: Path | None = None
) -> CompiledProgram:
    """Compile every declaration; with ``root``, files have to stay below it."""
    documents = Documents() if root is None else Documents(merged.entry.parent, root)
    scope = Scope(Declarations(), dialect, documents)
    sources = sum(len(module.source) for module in merged.homes.values())
    with deep_recursion(sources):
        _compile_conversations(merged, scope)
        for name, rubric in merged.rubrics.items():
            scope.declarations.rubrics[name] = _rubric(rubric, scope)
        base = os.path.dirname(merged.typed)  # noqa: PTH120 - shown as typed
        for name, dataset in merged.datasets.items():
            scope.declarations.datasets[name] = dataset_loader(dataset, scope, base, root)
        benchmarks = {
            name: compile_benchmark(node, scope, _lines_of(merged.homes[name].source))
            for name, node in merged.benchmarks.items()
        }
    return CompiledProgram(scope.declarations, benchmarks)


def _compile_conversations(merged: MergedProgram, scope: Scope) -> None:
    known = scope.declarations.conversations
    for name, node in merged.conversations.items():
        known[name] = CompiledConversation(name, _parameters(node), constant(UNIT))
    for name, node in merged.conversations.items():
        known[name].body = statements.body_code(node.body, scope)


def _rubric(node: tree.Rubric, scope: Scope) -> CompiledRubric:
    fields = {name.text: compile_node(value, scope) for name, value in reversed(node.fields)}
    return CompiledRubric(node.name.text, node.kind, _parameters(node), fields, _template(node))


def _template(node: tree.Rubric) -> str | None:
    """The rubric as it is written: what it is filled with is no part of the instrument."""
    rule = next((value for name, value in node.fields if name.text == "rubric"), None)
    if rule is None or isinstance(rule, tree.StringLiteral | tree.Variable):
        return None
    if isinstance(rule, tree.TextBlock) and all(isinstance(part, str) for part in rule.parts):
        return None
    from evaltui.ulx.formatter import format_expression

    return format_expression(rule)


def _parameters(node: tree.Conversation | tree.Rubric) -> tuple[str, ...]:
    return tuple(parameter.name.text for parameter in node.parameters)


def _lines_of(source: str) -> Callable[[tree.Span], int]:
    return lambda span: line_and_column(source, span.start)[0]
