"""Blocks and statements (language specification 2.4)."""

from __future__ import annotations

from collections.abc import Callable

from evaltui.ulx.cursor import Memo, Mismatch
from evaltui.ulx.expression_grammar import ExpressionParser
from evaltui.ulx.interpolation import split_text
from evaltui.ulx.lexer import END, Tokens, to_text, tokenize
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import (
    Arm,
    AskStatement,
    Assistant,
    Binding,
    Block,
    Break,
    Expr,
    ExpressionStatement,
    FileText,
    For,
    Match,
    Message,
    Name,
    Pattern,
    Statement,
    TextBlock,
    Type,
    While,
    With,
)


class StatementParser(ExpressionParser):
    """The rules for blocks and statements."""

    def __init__(self, tokens: Tokens, base: int = 0) -> None:
        super().__init__(tokens, base)
        self._blocks: Memo[Block] = {}
        self._by_keyword: dict[str, Callable[[], Statement]] = {
            "system": self._message,
            "user": self._message,
            "with": self._with,
            "assistant": self._assistant,
            "ask": self._ask_statement,
            "match": self._match,
            "for": self._for,
            "while": self._while,
        }

    def block(self) -> Block:
        """``{ statements }``; a last expression statement becomes the tail."""
        return self.remembered(self._blocks, self._block)

    def _block(self) -> Block:
        start = self.at
        self.expect("{")
        statements = self.repeated(self.statement)
        self.expect("}")
        span = self.span_from(start)
        if statements and isinstance(last := statements[-1], ExpressionStatement):
            return Block(statements[:-1], last.value, span)
        return Block(statements, None, span)

    def statement(self) -> Statement:
        """Any statement."""
        start = self.at
        kinds = self.kinds
        if kinds[start] == "ident":
            rule = self._by_keyword.get(str(self.values[start]))
            if rule is not None and (statement := self.optional(rule)) is not None:
                return statement
            if self.at_word("break"):
                return self._break()
            if kinds[start + 1] == "=" and (bound := self.optional(self.binding)) is not None:
                return bound
        value = self.expression()
        return ExpressionStatement(value, self.span_from(start))

    def _message(self) -> Message:
        start = self.at
        role = self.name().text
        self.expect(":")
        text: TextBlock | FileText
        text = self.text_block() if self.kinds[self.at] == "text" else self.file_text()
        return Message(role, text, self.span_from(start))

    def _with(self) -> With:
        start = self.at
        self.word("with")
        self.expect("{")
        bindings = self.repeated(self.binding)
        self.expect("}")
        return With(bindings, self.span_from(start))

    def binding(self) -> Binding:
        """``name = value``."""
        start = self.at
        name = self.name()
        self.expect("=")
        return Binding(name, self.expression(), self.span_from(start))

    def _assistant(self) -> Assistant:
        start = self.at
        self.word("assistant")
        name, type_ = self._result()
        return Assistant(name, type_, self.span_from(start))

    def _ask_statement(self) -> AskStatement:
        start = self.at
        ask = self.ask()
        name, type_ = self._result()
        return AskStatement(ask, name, type_, self.span_from(start))

    def _result(self) -> tuple[Name, Type | None]:
        self.expect("->")
        name = self.name()
        type_ = self.optional(self._annotation) if self.kinds[self.at] == ":" else None
        return name, type_

    def _annotation(self) -> Type:
        self.expect(":")
        return self.type()

    def _match(self) -> Match:
        start = self.at
        self.word("match")
        subject = self.expression()
        self.expect("{")
        arms = self.repeated(self._arm)
        self.expect("}")
        return Match(subject, arms, self.span_from(start))

    def _arm(self) -> Arm:
        pattern = self._pattern()
        self.expect("=>")
        body: Block | Expr | None = None
        if self.kinds[self.at] == "{":
            body = self.optional(self.block)
        return Arm(pattern, body or self.expression())

    def _pattern(self) -> Pattern:
        start = self.at
        variant = self.name().text
        if variant == "_":
            return Pattern(None, (), self.span_from(start))
        bindings = self.optional(self._pattern_bindings) or ()
        return Pattern(variant, bindings, self.span_from(start))

    def _pattern_bindings(self) -> tuple[Name, ...]:
        self.expect("(")
        empty = self.kinds[self.at] == ")"
        names = () if empty else self.separated(self.name, ",")
        self.expect(")")
        return names

    def _for(self) -> For:
        start = self.at
        self.word("for")
        name = self.name()
        self.word("in")
        items = self.expression()
        return For(name, items, self.block(), self.span_from(start))

    def _while(self) -> While:
        start = self.at
        self.word("while")
        condition = self.expression()
        return While(condition, self.block(), self.span_from(start))

    def _break(self) -> Break:
        start = self.at
        self.word("break")
        return Break(self.optional(self.expression), self.span_from(start))

    def interpolated(self, content: str, base: int) -> tuple[str | Expr, ...]:
        """The parts of a text; raises ``Mismatch`` where one is not an expression."""
        pieces = split_text(content)
        if pieces is None:
            raise Mismatch
        return tuple(
            [
                self._interpolation(piece.source, base + piece.offset)
                if piece.is_code
                else to_text(piece.source)
                for piece in pieces
            ]
        )

    def _interpolation(self, source: str, base: int) -> Expr:
        try:
            tokens = tokenize(source)
        except UlxSyntaxError:
            raise Mismatch from None
        parser = StatementParser(tokens, base)
        expression = parser.expression()
        if parser.kinds[parser.at] != END:
            raise Mismatch
        return expression
