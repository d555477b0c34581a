"""Types and expressions as the formatter writes them (language specification 6)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from evaltui.ulx import tree
from evaltui.ulx.expression_grammar import POSTFIX_PRECEDENCE, PRECEDENCE, PREFIX_PRECEDENCE
from evaltui.ulx.numerals import float_literal
from evaltui.ulx.tree import Argument, Block, Expr, Name, Type

_HIGHEST = 9
_KEYWORDS = frozenset(
    (
        *("system", "user", "assistant", "with", "ask", "match", "for", "in", "while", "break"),
        *("if", "else", "retry", "escalate", "judge", "validator", "file", "not", "and", "or"),
        *("dataset", "run", "expect", "satisfies", "assert", "snapshot", "as"),
    )
)
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_QUOTE_RUN = re.compile('"{3,}')


class ExpressionWriter(ABC):
    """Appends pieces of text to ``out``; ``level`` is the indentation of the current statement."""

    def __init__(self, *, guarded: bool) -> None:
        """With ``guarded``, names that look like keywords are put in parentheses."""
        self.out: list[str] = []
        self.level = 0
        self._guarded = guarded
        self._continues = False  # an opening parenthesis would continue the statement before
        self._rules: dict[type, Callable[[Any], None]] = {
            tree.IntLiteral: lambda node: self.write(str(node.value)),
            tree.FloatLiteral: lambda node: self.write(float_text(node.value)),
            tree.StringLiteral: lambda node: self.write(string_text(node.value)),
            tree.TextBlock: self.text_block,
            tree.FileText: self.file_text,
            tree.Variable: self._variable,
            tree.Row: lambda _: self.write("$"),
            tree.RecordLiteral: self.record,
            tree.Field: self._field,
            tree.Index: self._index,
            tree.Call: self._call,
            tree.GenericCall: self._generic_call,
            tree.If: self._if,
            tree.Escalate: self._escalate,
            tree.RubricCall: self._rubric_call,
            tree.Ask: self.ask,
        }

    @abstractmethod
    def block(self, node: Block) -> None:
        """Write a block; its lines are indented relative to the current statement."""

    def write(self, text: str) -> None:
        """Append ``text``."""
        self.out.append(text)

    def type(self, node: Type) -> None:
        """Write a type."""
        match node:
            case tree.ArtifactType(word=name) | tree.NamedType(name=name):
                self.write(name)
            case tree.RecordType(fields=fields):
                self.write("{")
                self._listed(fields, lambda field: self._typed(*field))
                self.write("}")
            case tree.ArrayType(item=item):
                self.write("[")
                self.type(item)
                self.write("]")
            case tree.GenericType(name=name, argument=argument):
                self.write(f"{name}<")
                self._type_argument(argument)
                self.write(">")
            case tree.UnionType(variants=variants):
                self._listed(variants, self._variant, " | ")

    def _type_argument(self, argument: Type | int) -> None:
        if isinstance(argument, int):
            self.write(str(argument))
        else:
            self.type(argument)

    def _typed(self, name: str, type_: Type) -> None:
        self.write(f"{name}: ")
        self.type(type_)

    def _variant(self, variant: tuple[str, Type | None]) -> None:
        name, content = variant
        self.write(name)
        if content is not None:
            self.write("(")
            self.type(content)
            self.write(")")

    def _listed(
        self, items: tuple[Any, ...], rule: Callable[[Any], None], separator: str = ", "
    ) -> None:
        for index, item in enumerate(items):
            if index:
                self.write(separator)
            rule(item)

    def expression(self, node: Expr, *, followed: bool = False) -> None:
        """Write ``node`` without parentheses around it.

        ``followed`` tells that an operator comes next, which the ``else`` of a ``retry`` would
        swallow; such a ``retry`` is the one form that is then put in parentheses.
        """
        match node:
            case tree.Binary():
                self._binary(node, followed)
            case tree.Unary(operator=operator, operand=operand):
                self.write("not " if operator == "not" else operator)
                self._continues = False
                self._operand(operand, level(operand) < PREFIX_PRECEDENCE, followed)
            case tree.Retry():
                self._retry(node, followed and node.otherwise is not None)
            case _:
                self._rules[type(node)](node)

    def _operand(self, node: Expr, parenthesised: bool, followed: bool) -> None:
        if parenthesised:
            self._continues = False
            self.write("(")
            self.expression(node)
            self.write(")")
        else:
            self.expression(node, followed=followed)

    def _binary(self, node: tree.Binary, followed: bool) -> None:
        own = PRECEDENCE[node.operator]
        left, right = node.left, node.right
        self._operand(left, level(left) < own or reads_as_generic_call(node), True)
        self._continues = False
        self.write(f" {node.operator} ")
        self._operand(right, level(right) <= own, followed)

    def _base(self, node: Expr) -> None:
        self._operand(node, level(node) < POSTFIX_PRECEDENCE, True)
        self._continues = False

    def _variable(self, node: tree.Variable) -> None:
        guarded = self._guarded and not self._continues and node.name in _KEYWORDS
        self.write(f"({node.name})" if guarded else node.name)

    def text_block(self, node: tree.TextBlock) -> None:
        """Write a text block whose decoded text and expressions are those of ``node``."""
        outer, self.out = self.out, []
        for part in node.parts:
            if isinstance(part, str):
                self.write(part)
            else:
                self.write("{")
                self.expression(part)
                self.write("}")
        content = "".join(self.out).replace("\\", "\\\\")
        self.out = outer
        content = _QUOTE_RUN.sub(lambda run: '\\"' * len(run[0]), content)
        self.write(f'"""{content}"""')

    def file_text(self, node: tree.FileText) -> None:
        """Write a file reference in the spelling it had."""
        self.write(f"@{node.path}" if node.at_sign else f"file({string_text(node.path)})")

    def record(self, node: tree.RecordLiteral) -> None:
        """Write a record on one line."""
        self.write("{")
        self._listed(node.fields, self.named)
        self.write("}")

    def named(self, field: tuple[Name, Expr]) -> None:
        """Write ``name: value``."""
        name, value = field
        self.write(f"{name.text}: ")
        self._inner(value)

    def _inner(self, node: Expr) -> None:
        self._continues = False
        self.expression(node)

    def arguments(self, arguments: tuple[Argument, ...]) -> None:
        """Write call arguments with their parentheses."""
        self._continues = False
        self.write("(")
        self._listed(arguments, self._argument)
        self.write(")")

    def _argument(self, argument: Argument) -> None:
        if argument.name is not None:
            self.write(f"{argument.name.text}: ")
        self._inner(argument.value)

    def _field(self, node: tree.Field) -> None:
        self._base(node.base)
        # A path would take the point for one of its own characters.
        space = " " if isinstance(node.base, tree.FileText) and node.base.at_sign else ""
        self.write(f"{space}.{node.name.text}")

    def _index(self, node: tree.Index) -> None:
        self._base(node.base)
        self.write("[")
        self.expression(node.index)
        self.write("]")

    def _call(self, node: tree.Call) -> None:
        self._base(node.callee)
        self.arguments(node.arguments)

    def _generic_call(self, node: tree.GenericCall) -> None:
        self.write(f"{node.name.text}<")
        self.type(node.type)
        self.write(">")
        self.arguments(node.arguments)

    def _if(self, node: tree.If) -> None:
        self.write("if ")
        self._inner(node.condition)
        self.write(" ")
        self.block(node.then)
        self.write(" else ")
        self.block(node.otherwise)

    def _retry(self, node: tree.Retry, parenthesised: bool) -> None:
        self.write(f"{'(' if parenthesised else ''}retry({node.times}) ")
        self.block(node.body)
        if node.otherwise is not None:
            self.write(" else ")
            self._inner(node.otherwise)
        if parenthesised:
            self.write(")")

    def _escalate(self, node: tree.Escalate) -> None:
        self.write(f"escalate({node.target.text}")
        if node.arguments:
            self.write(", ")
            self._listed(node.arguments, self.named)
        self.write(")")

    def _rubric_call(self, node: tree.RubricCall) -> None:
        self.write(f"{node.kind} {node.name.text}")
        self.arguments(node.arguments)

    def ask(self, node: tree.Ask) -> None:
        """Write an ``ask`` without a binding."""
        self.write(f"ask {node.capability.text}")
        self.arguments(node.arguments)
        self.write(" ")
        self.block(node.body)


def level(node: Expr) -> int:
    """How tightly ``node`` binds (language specification 6.2)."""
    match node:
        case tree.Binary(operator=operator):
            return PRECEDENCE[operator]
        case tree.Unary():
            return PREFIX_PRECEDENCE
        case tree.Field() | tree.Index() | tree.Call():
            return POSTFIX_PRECEDENCE
        case _:
            return _HIGHEST


def reads_as_generic_call(node: tree.Binary) -> bool:
    """Whether ``a < b > (c)`` would be read as a call of ``a`` with a type argument."""
    left = node.left
    return (
        node.operator == ">"
        and isinstance(left, tree.Binary)
        and left.operator == "<"
        and isinstance(_last_bare(left.left), tree.Variable)
        and _looks_like_type(left.right)
        and _starts_with_parenthesis(node.right)
    )


def _last_bare(node: Expr) -> Expr:
    """The primary that the text of a left operand of ``<`` ends in."""
    while True:
        if isinstance(node, tree.Unary) and level(node.operand) >= PREFIX_PRECEDENCE:
            node = node.operand
        elif isinstance(node, tree.Binary) and level(node.right) > PRECEDENCE[node.operator]:
            node = node.right
        else:
            return node


def _looks_like_type(node: Expr) -> bool:
    if isinstance(node, tree.RecordLiteral):
        return all([_looks_like_type(value) for _, value in node.fields])  # noqa: C419 - may nest
    return isinstance(node, tree.Variable)


def _starts_with_parenthesis(right: Expr) -> bool:
    """Whether the text of a right operand of ``>`` starts with a parenthesis."""
    node, needed = right, PRECEDENCE[">"] + 1
    while level(node) >= needed:
        match node:
            case tree.Binary(operator=operator, left=left):
                node, needed = left, PRECEDENCE[operator]
            case tree.Field(base=base) | tree.Index(base=base) | tree.Call(callee=base):
                node, needed = base, POSTFIX_PRECEDENCE
            case tree.Retry(otherwise=otherwise):
                return node is not right and otherwise is not None
            case _:
                return False
    return True


def string_text(value: str) -> str:
    """A string literal for ``value``."""
    return f'"{value.translate(_STRING_ESCAPES)}"'


def float_text(value: float) -> str:
    """A float literal for ``value``; infinity has to be spelled out."""
    return f"1{'0' * 309}.0" if value == float("inf") else float_literal(value)
