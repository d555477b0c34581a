"""A position in a row of tokens, and the small moves every parsing rule is made of.

The rules try alternatives in the order of the grammar; a rule that does not match raises
``Mismatch``, and whoever tried it moves the position back. Expressions, blocks and types are
remembered by position, successes and failures alike, so that no source takes exponential time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evaltui.ulx.lexer import Tokens
from evaltui.ulx.tree import Name, Span

Node = TypeVar("Node")
Memo = dict[int, tuple[Node, int] | None]


class Mismatch(Exception):
    """The rule does not match here."""


class Cursor:
    """The tokens of one source and the index of the next one, ``at``."""

    def __init__(self, tokens: Tokens, base: int = 0) -> None:
        """``base`` is added to every span: the offset of an interpolation's text."""
        self.kinds = tokens.kinds
        self.values = tokens.values
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.base = base
        self.at = 0

    def expect(self, kind: str) -> None:
        """Consume a punctuation token."""
        if self.kinds[self.at] != kind:
            raise Mismatch
        self.at += 1

    def accept(self, kind: str) -> bool:
        """Consume a punctuation token if it is next."""
        if self.kinds[self.at] != kind:
            return False
        self.at += 1
        return True

    def at_word(self, word: str) -> bool:
        """Whether the next token is the identifier ``word``."""
        return self.values[self.at] == word and self.kinds[self.at] == "ident"

    def word(self, word: str) -> None:
        """Consume the identifier ``word``."""
        if not self.at_word(word):
            raise Mismatch
        self.at += 1

    def name(self) -> Name:
        """Consume any identifier."""
        at = self.at
        if self.kinds[at] != "ident":
            raise Mismatch
        self.at = at + 1
        base = self.base
        return Name(str(self.values[at]), Span(base + self.starts[at], base + self.ends[at]))

    def text(self, kind: str) -> str:
        """Consume a string or path token and return its value."""
        if self.kinds[self.at] != kind:
            raise Mismatch
        self.at += 1
        return str(self.values[self.at - 1])

    def integer(self) -> int:
        """Consume an integer token."""
        value = self.values[self.at]
        if self.kinds[self.at] != "int":
            raise Mismatch
        self.at += 1
        return int(value)

    def span_from(self, first: int) -> Span:
        """The span from token ``first`` to the last one consumed."""
        return Span(self.base + self.starts[first], self.base + self.ends[self.at - 1])

    def optional(self, rule: Callable[[], Node]) -> Node | None:
        """``rule?``: its result, or None with the position unmoved."""
        start = self.at
        try:
            return rule()
        except Mismatch:
            self.at = start
            return None

    def repeated(self, rule: Callable[[], Node]) -> tuple[Node, ...]:
        """``rule*``: stops before the first occurrence that does not match whole."""
        items: list[Node] = []
        start = self.at
        try:
            while True:
                start = self.at
                items.append(rule())
        except Mismatch:
            self.at = start
        return tuple(items)

    def listed(self, rule: Callable[[], Node]) -> tuple[Node, ...]:
        """``list(rule)``: comma-separated, may be empty, one trailing comma allowed."""
        items: list[Node] = []
        start = self.at
        try:
            while True:
                items.append(rule())
                start = self.at
                if not self.accept(","):
                    break
                start = self.at
        except Mismatch:
            self.at = start
        return tuple(items)

    def separated(self, rule: Callable[[], Node], separator: str) -> tuple[Node, ...]:
        """``rule (separator rule)*``: at least one, no trailing separator."""
        items = [rule()]
        start = self.at
        try:
            while self.accept(separator):
                items.append(rule())
                start = self.at
        except Mismatch:
            self.at = start
        return tuple(items)

    def remembered(self, memo: Memo[Node], rule: Callable[[], Node]) -> Node:
        """The result of ``rule`` here, from ``memo`` if it was tried before."""
        start = self.at
        if start in memo:
            known = memo[start]
            if known is None:
                raise Mismatch
            self.at = known[1]
            return known[0]
        memo[start] = None
        node = rule()
        memo[start] = (node, self.at)
        return node
