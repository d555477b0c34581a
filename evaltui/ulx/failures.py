"""Rules that only find where a source stops being a program (language specification, Appendix A).

A rule takes a token index and answers ``(next index, pending failure)`` when it matches, else
``(-1, failure)``. The pending failure is the furthest one met on the way that may still explain a
later error. Rules are built from the functions here, each of which states how failures combine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from evaltui.ulx.lexer import END, Tokens
from evaltui.ulx.syntax_error import END_OF_INPUT, WILDCARD

NOTHING: frozenset[str] = frozenset()


class Failure(NamedTuple):
    """Where a rule failed, what it wanted, and the text block at fault (-1 when none)."""

    at: int
    expected: frozenset[str]
    text_block: int = -1


Outcome = tuple[int, Failure | None]
Rule = Callable[[int], Outcome]


def best(first: Failure | None, second: Failure | None) -> Failure | None:
    """The further failure; at one index the first one, expecting what both expect."""
    if first is None:
        return second
    if second is None or first.at > second.at:
        return first
    if second.at > first.at:
        return second
    if second.expected <= first.expected:
        return first
    return Failure(first.at, first.expected | second.expected, first.text_block)


class Terminals:
    """Rules that look at one token."""

    def __init__(self, tokens: Tokens, is_good_text: Callable[[int], bool]) -> None:
        """``is_good_text`` tells whether the text block at an index can be read."""
        self._kinds = tokens.kinds
        self._values = tokens.values
        self._is_good_text = is_good_text

    def mark(self, punctuation: str) -> Rule:
        """A punctuation token."""
        return self._of_kinds((punctuation,), frozenset([punctuation]))

    def end(self) -> Rule:
        """The end of the input."""
        return self._of_kinds((END,), frozenset([END_OF_INPUT]))

    def kind(self, *kinds: str) -> Rule:
        """An identifier or literal of one of ``kinds``."""
        return self._of_kinds(kinds, NOTHING)

    def word(self, word: str) -> Rule:
        """The identifier ``word``."""
        expected = frozenset([WILDCARD]) if word == WILDCARD else NOTHING
        kinds, values = self._kinds, self._values

        def rule(at: int) -> Outcome:
            if values[at] == word and kinds[at] == "ident":
                return at + 1, None
            return -1, Failure(at, expected)

        return rule

    def text_block(self) -> Rule:
        """A text block whose interpolations are all expressions."""
        kinds, is_good = self._kinds, self._is_good_text

        def rule(at: int) -> Outcome:
            if kinds[at] != "text":
                return -1, Failure(at, NOTHING)
            if is_good(at):
                return at + 1, None
            return -1, Failure(at + 1, NOTHING, at)

        return rule

    def _of_kinds(self, wanted: tuple[str, ...], expected: frozenset[str]) -> Rule:
        kinds = self._kinds

        def rule(at: int) -> Outcome:
            if kinds[at] in wanted:
                return at + 1, None
            return -1, Failure(at, expected)

        return rule


def remembered(rule: Rule) -> Rule:
    """``rule``, tried only once at every index."""
    memo: dict[int, Outcome] = {}

    def lookup(at: int) -> Outcome:
        known = memo.get(at)
        if known is None:
            known = memo[at] = rule(at)
        return known

    return lookup


def sequence(*parts: Rule) -> Rule:
    """All ``parts`` one after the other."""

    def rule(at: int) -> Outcome:
        pending: Failure | None = None
        for part in parts:
            at, failure = part(at)
            if failure is not None:
                pending = best(failure, pending)
            if at < 0:
                return -1, pending
        return at, pending

    return rule


def choice(*alternatives: Rule) -> Rule:
    """The first of several that matches; of equal failures the last one counts."""

    def rule(at: int) -> Outcome:
        failed: Failure | None = None
        for alternative in alternatives:
            end, failure = alternative(at)
            if end >= 0:
                return end, failure
            failed = best(failure, failed)
        return -1, failed

    return rule


def either(first: Rule, second: Rule) -> Rule:
    """The first of two that matches; of equal failures the first one counts."""

    def rule(at: int) -> Outcome:
        end, first_failure = first(at)
        if end >= 0:
            return end, first_failure
        end, second_failure = second(at)
        if end >= 0:
            return end, second_failure
        return -1, best(first_failure, second_failure)

    return rule


def optional(inner: Rule) -> Rule:
    """``inner`` or nothing."""

    def rule(at: int) -> Outcome:
        end, failure = inner(at)
        return (at if end < 0 else end), failure

    return rule


def repeated(inner: Rule) -> Rule:
    """``inner`` as often as it matches."""

    def rule(at: int) -> Outcome:
        pending: Failure | None = None
        while True:
            end, failure = inner(at)
            pending = best(failure, pending)
            if end < 0:
                return at, pending
            at = end

    return rule


def separated(inner: Rule, separator: Rule, *, least: int = 0, trailing: bool = False) -> Rule:
    """``inner`` at least ``least`` times with ``separator`` between, and perhaps one after."""

    def rule(at: int) -> Outcome:
        pending: Failure | None = None
        count = 0
        end, failure = inner(at)
        while end >= 0:
            count += 1
            at = end
            pending = best(failure, pending)
            end, failure = separator(at)
            if end >= 0:
                end, failure = inner(end)
        ended_by = failure
        if count < least:
            return -1, ended_by
        if trailing and count:
            end, failure = separator(at)
            at = max(at, end)
            pending = best(failure, pending)
        return at, best(ended_by, pending)

    return rule
