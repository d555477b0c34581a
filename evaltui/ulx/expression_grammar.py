"""Expressions (language specification 2.5, 2.6 and 2.9)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from evaltui.ulx.cursor import Memo, Mismatch
from evaltui.ulx.lexer import Tokens
from evaltui.ulx.tree import (
    Argument,
    Ask,
    Binary,
    Block,
    Call,
    Escalate,
    Expr,
    Field,
    FileText,
    FloatLiteral,
    GenericCall,
    If,
    Index,
    IntLiteral,
    Name,
    RecordLiteral,
    Retry,
    Row,
    RubricCall,
    Span,
    StringLiteral,
    TextBlock,
    Unary,
    Variable,
)
from evaltui.ulx.type_grammar import TypeParser

PRECEDENCE = {
    "or": 1,
    "and": 2,
    "==": 3,
    "!=": 3,
    "<=": 3,
    ">=": 3,
    "<": 3,
    ">": 3,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
}
"""Binary operators by how tightly they bind; all associate to the left."""

PREFIX_PRECEDENCE = 6
POSTFIX_PRECEDENCE = 7

_POSTFIX = frozenset(".([")


class ExpressionParser(TypeParser, ABC):
    """The rules for expressions."""

    def __init__(self, tokens: Tokens, base: int = 0) -> None:
        super().__init__(tokens, base)
        self._expressions: Memo[Expr] = {}
        self._by_kind: dict[str, Callable[[], Expr]] = {
            "ident": self._word_expression,
            "int": self._int_literal,
            "float": self._float_literal,
            "string": self._string_literal,
            "text": self.text_block,
            "path": self.file_text,
            "$": self._row,
            "{": self.record,
            "(": self._parenthesised,
        }
        self._by_word: dict[str, Callable[[], Expr]] = {
            "file": self.file_text,
            "if": self._if,
            "retry": self._retry,
            "escalate": self._escalate,
            "judge": self._rubric_call,
            "validator": self._rubric_call,
            "ask": self.ask,
        }

    @abstractmethod
    def block(self) -> Block:
        """A block of statements."""

    @abstractmethod
    def interpolated(self, content: str, base: int) -> tuple[str | Expr, ...]:
        """The parts of a text; its expressions' spans are moved by ``base``."""

    def expression(self) -> Expr:
        """Any expression."""
        return self.remembered(self._expressions, self._or)

    def _or(self) -> Expr:
        return self._binary(1)

    def _binary(self, lowest: int) -> Expr:
        left = self._unary()
        while True:
            at = self.at
            operator = self.kinds[at]
            if operator == "ident":
                operator = str(self.values[at])
            level = PRECEDENCE.get(operator, 0)
            if level < lowest:
                return left
            self.at = at + 1
            try:
                right = self._binary(level + 1)
            except Mismatch:
                self.at = at
                return left
            left = Binary(operator, left, right, Span(left.span.start, right.span.end))

    def _unary(self) -> Expr:
        operators = []
        while self.kinds[self.at] == "-" or self.at_word("not"):
            operators.append(str(self.values[self.at]))
            self.at += 1
        node = self._postfix()
        for operator in reversed(operators):
            node = Unary(operator, node, node.span)
        return node

    def _postfix(self) -> Expr:
        node = self._primary()
        span = node.span
        while self.kinds[self.at] in _POSTFIX:
            start = self.at
            try:
                node = self._postfix_form(node, span)
            except Mismatch:
                self.at = start
                break
        return node

    def _postfix_form(self, base: Expr, span: Span) -> Expr:
        match self.kinds[self.at]:
            case ".":
                self.at += 1
                return Field(base, self.name(), span)
            case "(":
                return Call(base, self.arguments(), span)
            case _:
                self.at += 1
                index = self.expression()
                self.expect("]")
                return Index(base, index, span)

    def arguments(self) -> tuple[Argument, ...]:
        """``(name: value, ...)`` with names optional."""
        self.expect("(")
        arguments = self.listed(self._argument)
        self.expect(")")
        return arguments

    def _argument(self) -> Argument:
        name = None
        if self.kinds[self.at] == "ident" and self.kinds[self.at + 1] == ":":
            name = self.name()
            self.at += 1
        return Argument(name, self.expression())

    def _primary(self) -> Expr:
        rule = self._by_kind.get(self.kinds[self.at])
        if rule is None:
            raise Mismatch
        return rule()

    def _word_expression(self) -> Expr:
        at = self.at
        rule = self._by_word.get(str(self.values[at]))
        node = self.optional(rule) if rule else None
        if node is None and self.kinds[at + 1] == "<":
            node = self.optional(self._generic_call)
        if node is None:
            self.at = at + 1
            node = Variable(str(self.values[at]), self.span_from(at))
        return node

    def _generic_call(self) -> Expr:
        start = self.at
        name = self.name()
        self.expect("<")
        type_ = self.type()
        self.expect(">")
        return GenericCall(name, type_, self.arguments(), self.span_from(start))

    def _int_literal(self) -> Expr:
        self.at += 1
        return IntLiteral(int(self.values[self.at - 1]), self.span_from(self.at - 1))

    def _float_literal(self) -> Expr:
        self.at += 1
        return FloatLiteral(float(self.values[self.at - 1]), self.span_from(self.at - 1))

    def _string_literal(self) -> Expr:
        self.at += 1
        return StringLiteral(str(self.values[self.at - 1]), self.span_from(self.at - 1))

    def text_block(self) -> TextBlock:
        """A text block whose interpolations are all expressions."""
        content = self.text("text")
        span = self.span_from(self.at - 1)
        return TextBlock(self.interpolated(content, span.start), span)

    def file_text(self) -> FileText:
        """``file("path")`` or ``@path``."""
        start = self.at
        if self.kinds[start] == "path":
            return FileText(self.text("path"), True, self.span_from(start))
        self.word("file")
        self.expect("(")
        path = self.text("string")
        self.expect(")")
        return FileText(path, False, self.span_from(start))

    def _row(self) -> Expr:
        self.at += 1
        return Row(self.span_from(self.at - 1))

    def record(self) -> RecordLiteral:
        """``{name: value, ...}``."""
        start = self.at
        self.expect("{")
        fields = self.listed(self.field)
        self.expect("}")
        return RecordLiteral(fields, self.span_from(start))

    def field(self) -> tuple[Name, Expr]:
        """``name: value``."""
        name = self.name()
        self.expect(":")
        return name, self.expression()

    def _parenthesised(self) -> Expr:
        self.at += 1
        node = self.expression()
        self.expect(")")
        return node

    def _if(self) -> Expr:
        start = self.at
        self.at += 1
        condition = self.expression()
        then = self.block()
        self.word("else")
        otherwise = self.block()
        return If(condition, then, otherwise, self.span_from(start))

    def _retry(self) -> Expr:
        start = self.at
        self.at += 1
        self.expect("(")
        times = self.integer()
        self.expect(")")
        body = self.block()
        otherwise = self.optional(self._else) if self.at_word("else") else None
        return Retry(times, body, otherwise, self.span_from(start))

    def _else(self) -> Expr:
        self.at += 1
        return self.expression()

    def _escalate(self) -> Expr:
        start = self.at
        self.at += 1
        self.expect("(")
        target = self.name()
        arguments = self.listed(self.field) if self.accept(",") else ()
        self.expect(")")
        return Escalate(target, arguments, self.span_from(start))

    def _rubric_call(self) -> Expr:
        start = self.at
        kind = self.name().text
        name = self.name()
        return RubricCall(kind, name, self.arguments(), self.span_from(start))

    def ask(self) -> Ask:
        """``ask capability(arguments) { ... }`` without a binding."""
        start = self.at
        self.word("ask")
        capability = self.name()
        arguments = self.arguments()
        body = self.block()
        return Ask(capability, arguments, body, self.span_from(start))
