"""A parser for sources that do not parse: it finds out where and why, in plain words.

It follows the rules of the real one. A construct that has begun unmistakably, such as ``system:``,
is not tried as anything else: what stops it is the error. Otherwise the error is what stopped the
reading that came furthest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from evaltui.ulx.cursor import Mismatch
from evaltui.ulx.declaration_grammar import IMPORT_KINDS, ProgramParser
from evaltui.ulx.furthest import Furthest
from evaltui.ulx.interpolation import Piece, split_text
from evaltui.ulx.lexer import END, Tokens, tokenize
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.syntax_hints import LITERAL_BRACE, lexical_problem, shown_token
from evaltui.ulx.tree import (
    Arm,
    Ask,
    BenchmarkStatement,
    Binding,
    Declaration,
    Expr,
    FileText,
    Import,
    Name,
    Parameter,
    Span,
    Statement,
    Type,
)
from evaltui.ulx.true_spans import TextPlaces

Node = TypeVar("Node")
Beginnings = Mapping[str, tuple[tuple[str, ...], ...]]

_VALUES = (("ident",), ("int",), ("float",), ("string",), ("text",), ("path",), ("$",), ("(",))
_CALL = (("ident", "("),)
_STATEMENTS: Beginnings = {
    "system": ((":",),),
    "user": ((":",),),
    "with": (("{", "ident", "="), ("{", "}")),
    "assistant": (("->",),),
    "match": _VALUES,
    "for": (("ident",),),
    "while": _VALUES,
}
_EXPRESSIONS: Beginnings = {
    "if": _VALUES,
    "retry": (("(",),),
    "judge": _CALL,
    "validator": _CALL,
    "ask": _CALL,
}
"""By keyword, the kinds of the tokens after it that leave no doubt."""


class Explained(Exception):
    """No other reading has to be tried; the failure is in ``furthest``."""


class ExplainingParser(ProgramParser):
    """The rules for whole files, noting in ``furthest`` what was wanted where."""

    def __init__(
        self, tokens: Tokens, spelled: str, end: str, furthest: Furthest | None = None
    ) -> None:
        """``spelled`` is the source and ``end`` what to call the end of ``tokens``."""
        super().__init__(tokens)
        self.furthest = furthest or Furthest()
        self._spelled = spelled
        self._end = end
        self._place: Callable[[int], int] | None = None

    def inside(self, piece: Piece, places: TextPlaces) -> None:
        """Take the tokens for those of an interpolation: ``piece`` of a text at ``places``."""
        self._place = lambda offset: places.offset(piece.offset + offset)

    def _span(self, at: int) -> Span:
        start, end = self.starts[at], self.ends[at]
        return Span(self._place(start), self._place(end)) if self._place else Span(start, end)

    def _want(self, what: str, at: int) -> None:
        kind = self.kinds[at]
        found = self._end if kind == END else shown_token(kind, self.values[at])
        self.furthest.want(what, self._span(at), found)

    def _instead(self, what: str, rule: Callable[[], Node]) -> Node:
        """``rule``; when not even its start matches, ``what`` was wanted rather than its parts."""
        start, before = self.at, self.furthest.copy()
        try:
            return rule()
        except Mismatch:
            if self.furthest.place == self._span(start):
                self.furthest.forget(before)
            self._want(what, start)
            raise

    def _committed(self, rule: Callable[[], Node]) -> Node:
        try:
            return rule()
        except Mismatch:
            raise Explained from None

    def _begins(self, beginnings: Beginnings) -> bool:
        at = self.at
        if self.kinds[at] != "ident":
            return False
        alternatives = beginnings.get(str(self.values[at]), ())
        return any(tuple(self.kinds[at + 1 : at + 1 + len(one)]) == one for one in alternatives)

    def expect(self, kind: str) -> None:
        if self.kinds[self.at] != kind:
            self._want(f"`{kind}`", self.at)
        super().expect(kind)

    def accept(self, kind: str) -> bool:
        if self.kinds[self.at] != kind:
            self._want(f"`{kind}`", self.at)
        return super().accept(kind)

    def word(self, word: str) -> None:
        if not self.at_word(word):
            self._want(f"`{word}`", self.at)
        super().word(word)

    def name(self) -> Name:
        if self.kinds[self.at] != "ident":
            self._want("a name", self.at)
        return super().name()

    def text(self, kind: str) -> str:
        if self.kinds[self.at] != kind:
            self._want("a string", self.at)
        return super().text(kind)

    def integer(self) -> int:
        if self.kinds[self.at] != "int":
            self._want("a whole number", self.at)
        return super().integer()

    def _import(self) -> Import:
        start = self.at
        try:
            return super()._import()
        except Mismatch:
            if self.kinds[start + 1] == "ident" and self.values[start + 1] not in IMPORT_KINDS:
                self._want(f"{', '.join(IMPORT_KINDS)} or a string", start + 1)
            raise

    def _declaration(self) -> Declaration:
        return self._instead("a declaration", super()._declaration)

    def _benchmark_statement(self) -> BenchmarkStatement:
        return self._instead("a benchmark statement", super()._benchmark_statement)

    def _threshold(self) -> float:
        try:
            return super()._threshold()
        except Mismatch:
            if self.kinds[self.at - 1] == "(":
                self._want("a number", self.at)
            raise

    def _parameter(self) -> Parameter:
        return self._instead("a parameter", super()._parameter)

    def _type(self) -> Type:
        return self._instead("a type", super()._type)

    def _arm(self) -> Arm:
        return self._instead("an arm", super()._arm)

    def statement(self) -> Statement:
        if self._begins(_STATEMENTS):
            return self._committed(self._by_keyword[str(self.values[self.at])])
        return self._instead("a statement", super().statement)

    def binding(self) -> Binding:
        if self.kinds[self.at : self.at + 2] == ["ident", "="]:
            return self._committed(super().binding)
        return super().binding()

    def ask(self) -> Ask:
        return self._committed(super().ask) if self._begins(_EXPRESSIONS) else super().ask()

    def _primary(self) -> Expr:
        return self._instead("an expression", super()._primary)

    def _word_expression(self) -> Expr:
        word = str(self.values[self.at])
        if self._begins(_EXPRESSIONS):
            return self._committed(self._by_word[word])
        if word == "match" and self._begins(_STATEMENTS):
            self._say(
                "`match` is a statement and cannot stand inside an expression",
                self._span(self.at),
                "as the last statement of a block it is the value of the block",
            )
        return super()._word_expression()

    def _generic_call(self) -> Expr:
        # Most of the time `<` is only a comparison, of which no `>` is missing.
        before = self.furthest.copy()
        try:
            return super()._generic_call()
        except Mismatch:
            self.furthest.forget(before)
            raise

    def file_text(self) -> FileText:
        return self._instead("a text block, `file(...)` or `@path`", super().file_text)

    def _say(self, sentence: str, place: Span, hint: str) -> NoReturn:
        self.furthest.say(sentence, place, hint)
        raise Explained

    def interpolated(self, content: str, base: int) -> tuple[str | Expr, ...]:
        index = self.at - 1
        if self._place is None:
            places = TextPlaces(self._spelled, self.starts[index], self.ends[index])
            self.explain_text(content, places)
        return super().interpolated(content, base)

    def explain_text(self, content: str, places: TextPlaces) -> None:
        """Raise ``Explained`` when an interpolation of the decoded ``content`` is no expression."""
        pieces = split_text(content)
        if pieces is None:
            opening = content.find("{", content.rfind("}") + 1)
            pieces = split_text(content[:opening]) or []
            for piece in pieces:
                self._explain_piece(piece, places)
            span = Span(places.offset(opening), places.offset(opening + 1))
            self._say("this interpolation is never closed", span, LITERAL_BRACE)
        for piece in pieces:
            self._explain_piece(piece, places)

    def _explain_piece(self, piece: Piece, places: TextPlaces) -> None:
        if not piece.is_code:
            return
        if not piece.source.strip():
            span = Span(places.offset(piece.offset - 1), places.offset(piece.offset + 1))
            self._say("this interpolation is empty", span, LITERAL_BRACE)
        try:
            tokens = tokenize(piece.source)
        except UlxSyntaxError as error:
            problem = lexical_problem(piece.source, error)
            start, end = [places.offset(piece.offset + offset) for offset in error.span]
            self._say(problem.plain, Span(start, end), problem.hint)
        parser = ExplainingParser(tokens, self._spelled, "the closing brace", self.furthest)
        parser.inside(piece, places)
        try:
            parser.expression()
        except Mismatch:
            pass
        else:
            if parser.kinds[parser.at] == END:
                return
            parser._want("the closing brace", parser.at)
        failure = self.furthest
        hint = LITERAL_BRACE if ":" in piece.source else ""
        self._say(failure.sentence(), failure.place, failure.hint or hint)
