"""The canonical form of a program (language specification 6).

Where the reference's formatter changes what a program means (6.4) this one does not: it keeps the
escapes of text blocks and the parentheses that matter.
"""

from __future__ import annotations

from typing import Any

from evaltui.ulx import tree
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.format_expressions import ExpressionWriter, float_text, string_text
from evaltui.ulx.grammar import parse
from evaltui.ulx.same_tree import same_tree
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Arm, Block, Expr, Parameter, Program, Statement

_CLOSED = (
    *(tree.Message, tree.With, tree.Assistant, tree.AskStatement),
    *(tree.Match, tree.For, tree.While),
)
"""Statements that an opening parenthesis after them does not continue."""


class FormatError(Exception):
    """The canonical form would mean something else; ``text`` is what was formed."""

    def __init__(self, text: str, syntax_error: UlxSyntaxError | None) -> None:
        super().__init__("the formatted text does not mean the same")
        self.text = text
        self.syntax_error = syntax_error


def format_source(source: str) -> str:
    """The canonical text of ``source``, which parses to the same tree.

    Raises ``UlxSyntaxError`` when ``source`` does not parse and ``FormatError`` when its tree has
    no canonical text.
    """
    program = parse(source)
    error: FormatError | None = None
    for guarded in (False, True):
        text = format_program(program, len(source), guarded=guarded)
        try:
            if same_tree(parse(text), program):
                return text
            error = error or FormatError(text, None)
        except UlxSyntaxError as syntax_error:
            error = error or FormatError(text, syntax_error)
    assert error is not None, "there is at least one way to write a program"
    raise error


def format_program(program: Program, size: int, *, guarded: bool = False) -> str:
    """The canonical text of ``program``, whose source had ``size`` characters.

    With ``guarded``, names that look like keywords stand in parentheses.
    """
    writer = _Writer(guarded=guarded)
    with deep_recursion(4 * size):
        writer.program(program)
    return "".join(writer.out)


def format_expression(node: tree.Expr) -> str:
    """The canonical text of one expression."""
    writer = _Writer(guarded=False)
    writer.expression(node)
    return "".join(writer.out)


class _Writer(ExpressionWriter):
    """Writes statements, declarations and whole programs."""

    def program(self, program: Program) -> None:
        for node in program.imports:
            self._import(node)
        for index, declaration in enumerate(program.declarations):
            if index or program.imports:
                self.write("\n")
            self._declaration(declaration)
            self.write("\n")

    def _import(self, node: tree.Import) -> None:
        if isinstance(node, tree.ModuleImport):
            self.write(f"import {string_text(node.module)} as {node.alias.text}\n")
        else:
            self.write(f"import {node.kind} {node.name.text} from {string_text(node.path)}\n")

    def _declaration(self, node: tree.Declaration) -> None:
        match node:
            case tree.Conversation():
                self._conversation(node)
            case tree.Rubric():
                self.write(f"{node.kind.value} {node.name.text}")
                self._signature(node.parameters, node.returns)
                self._braced(node.fields, self.named)
            case tree.Dataset():
                self._dataset(node)
            case tree.TypeDeclaration():
                self.write(f"type {node.name.text} = ")
                self.type(node.type)
            case tree.Benchmark():
                self.write(f"benchmark {node.name.text}")
                self._braced(node.statements, self._benchmark_statement)
            case tree.Provider():
                source = "" if node.source is None else f" from {string_text(node.source)}"
                self.write(f"provider {node.name.text}{source}")
                self._braced(node.fields, self.named)

    def _conversation(self, node: tree.Conversation) -> None:
        self.write(f"conversation {node.name.text}")
        self._signature(node.parameters, node.returns)
        self.write(" ")
        self.block(node.body)

    def _signature(self, parameters: tuple[Parameter, ...], returns: tree.Type | None) -> None:
        self.write("(")
        self._listed(parameters, lambda item: self._typed(item.name.text, item.type))
        self.write(")")
        if returns is not None:
            self.write(" -> ")
            self.type(returns)

    def _dataset(self, node: tree.Dataset) -> None:
        self.write(f"dataset {node.name.text}: ")
        self.type(node.type)
        if node.source is not None:
            self.write(f" {{\n  from {string_text(node.source)}\n}}")
            return
        self.write(" {\n  [")
        for index, row in enumerate(node.rows):
            self.write(",\n    " if index else "\n    ")
            self.level = 2
            self.record(row)
        self.level = 0
        self.write("\n  ]\n}")

    def _benchmark_statement(self, node: tree.BenchmarkStatement) -> None:
        match node:
            case tree.UseDataset(name=name):
                self.write(f"dataset: {name.text}")
            case tree.Run(value=value, name=name):
                self._clauses("run: ", value)
                self.write(f" -> {name.text}")
            case tree.Expect(subject=subject, judge=judge, threshold=threshold):
                self._clauses("expect ", subject, " satisfies ", judge)
                if threshold is not None:
                    self.write(f" with threshold({float_text(threshold)})")
            case tree.Assert(value=value):
                self._clauses("assert ", value)
            case tree.Snapshot(value=value, key=key):
                self._clauses("snapshot ", value, " as ", key)

    def _clauses(self, *parts: str | Expr) -> None:
        for part in parts:
            if isinstance(part, str):
                self.write(part)
            else:
                self._inner(part)

    def _braced(self, items: tuple[Any, ...], rule: Any) -> None:  # noqa: ANN401
        self.write(" {")
        self._lines(items, rule)
        self.write("}")

    def _lines(self, items: tuple[Any, ...], rule: Any) -> None:  # noqa: ANN401
        """Each item on an indented line of its own; nothing when there are none."""
        if not items:
            return
        self.level += 1
        for item in items:
            self._new_line()
            rule(item)
        self.level -= 1
        self._new_line()

    def _new_line(self) -> None:
        self.write("\n" + "  " * self.level)

    def block(self, node: Block) -> None:
        """Write a block, its tail as a last line."""
        tail = () if node.tail is None else (node.tail,)
        lines = (*node.statements, *tail)
        opens = [True, *[isinstance(line, _CLOSED) for line in lines]]
        self.write("{")
        self._lines(tuple(zip(lines, opens, strict=False)), self._block_line)
        self.write("}")

    def _block_line(self, line: tuple[Statement | Expr, bool]) -> None:
        statement, may_open = line
        self._continues = not may_open
        self._statement_or_tail(statement)
        self._continues = False

    def _statement_or_tail(self, node: Statement | Expr) -> None:
        match node:
            case tree.Message(role=role, text=text):
                self._clauses(f"{role}: ", text)
            case tree.With(bindings=bindings):
                self.write("with")
                self._braced(bindings, self._statement_or_tail)
            case tree.Assistant():
                self.write("assistant")
                self._result(node.name, node.type)
            case tree.AskStatement():
                self.ask(node.ask)
                self._result(node.name, node.type)
            case tree.Binding(name=name, value=value):
                self._clauses(f"{name.text} = ", value)
            case tree.Match() | tree.For() | tree.While() | tree.Break():
                self._control(node)
            case tree.ExpressionStatement(value=value):
                self._statement_expression(value)
            case _:
                self._statement_expression(node)

    def _statement_expression(self, value: Expr) -> None:
        self._starts_statement = True
        self.expression(value)
        self._starts_statement = False

    def _result(self, name: tree.Name, type_: tree.Type | None) -> None:
        self.write(f" -> {name.text}")
        if type_ is not None:
            self.write(": ")
            self.type(type_)

    def _control(self, node: tree.Match | tree.For | tree.While | tree.Break) -> None:
        match node:
            case tree.Match(subject=subject, arms=arms):
                self._clauses("match ", subject, " {")
                self._lines(arms, self._arm)
                if not arms:
                    self._new_line()
                self.write("}")
            case tree.For(name=name, items=items, body=body):
                self._clauses(f"for {name.text} in ", items, " ")
                self.block(body)
            case tree.While(condition=condition, body=body):
                self._clauses("while ", condition, " ")
                self.block(body)
            case tree.Break(value=value):
                self.write("break")
                if value is not None:
                    self._clauses(" ", value)

    def _arm(self, arm: Arm) -> None:
        pattern = arm.pattern
        self.write("_" if pattern.variant is None else pattern.variant)
        if pattern.bindings:
            self.write(f"({', '.join([name.text for name in pattern.bindings])})")
        self.write(" => ")
        if isinstance(arm.body, Block):
            self.block(arm.body)
        else:
            self._starts_statement = False
            self._operand(arm.body, _starts_like_empty_block(arm.body), False)


def _starts_like_empty_block(node: Expr) -> bool:
    """Whether the text of ``node`` starts with an empty record, which an arm reads as a block."""
    while True:
        match node:
            case tree.Binary(left=inner) | tree.Call(callee=inner):
                node = inner
            case tree.Field(base=inner) | tree.Index(base=inner):
                node = inner
            case tree.RecordLiteral(fields=fields):
                return not fields
            case _:
                return False
