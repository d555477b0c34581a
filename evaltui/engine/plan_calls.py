"""Finding the calls that a conversation can make, without running it (runtime spec 9.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from evaltui.ulx import tree
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.tree_walk import Node, parts

UNKNOWN: Final = (0, 800)
_VARIABLE: Final = (20, 800)
_NUMBER: Final = (1, 20)

Range = tuple[int, int]
"""Least and most characters."""


class PlannedCall(Struct, frozen=True):
    """A call site: ``provider`` is what it is pinned to."""

    capability: str
    judge: str | None
    provider: str | None
    characters: Range


def planned_calls(
    merged: MergedProgram, conversation: tree.Conversation, arguments: Mapping[str, str]
) -> list[PlannedCall]:
    """Call sites in about the order in which they run; each conversation is followed once."""
    walk = _Walk(merged, arguments)
    walk.visit(conversation.body, known=True, in_ask=False)
    return walk.calls


class _Walk:
    def __init__(self, merged: MergedProgram, arguments: Mapping[str, str]) -> None:
        self.calls: list[PlannedCall] = []
        self._merged = merged
        self._arguments = arguments
        self._followed: set[str] = set()

    def visit(self, node: Node, *, known: bool, in_ask: bool) -> None:
        """Collect the calls below ``node``; ``known`` tells whether ``--arg`` values hold here."""
        if isinstance(node, tree.Block):
            self._block(node, known, in_ask)
        elif isinstance(node, tree.Ask):
            self._ask(node, known, in_ask)
        else:
            for part in parts(node):
                self.visit(part, known=known, in_ask=in_ask)
            if isinstance(node, tree.RubricCall) and node.kind == "judge":
                self._judge(node, known)
            elif isinstance(node, tree.Call) and not in_ask:
                self._follow(node)

    def _block(self, node: tree.Block, known: bool, in_ask: bool) -> None:
        queue: list[tree.Message] = []
        for statement in node.statements:
            self.visit(statement, known=known, in_ask=in_ask)
            if isinstance(statement, tree.Message):
                queue.append(statement)
            elif isinstance(statement, tree.Assistant):
                self._add("chat", None, None, self._messages(queue, known))
                queue = []
        if node.tail is not None:
            self.visit(node.tail, known=known, in_ask=in_ask)

    def _ask(self, node: tree.Ask, known: bool, in_ask: bool) -> None:
        for statement in node.body.statements:
            self.visit(statement, known=known, in_ask=True)
        for argument in node.arguments:
            self.visit(argument.value, known=known, in_ask=in_ask)
        sent = [entry for entry in node.body.statements if isinstance(entry, tree.Message)]
        pinned = next(
            (one.value for one in node.arguments if one.name and one.name.text == "provider"), None
        )
        provider = pinned.value if isinstance(pinned, tree.StringLiteral) else None
        self._add(node.capability.text, None, provider, self._messages(sent, known))

    def _judge(self, node: tree.RubricCall, known: bool) -> None:
        rubric = self._merged.rubrics.get(node.name.text)
        fields = rubric.fields if rubric is not None else ()
        rule = next((value for name, value in fields if name.text == "rubric"), None)
        sizes = [self._size(rule, known=False)] if rule is not None else []
        if node.arguments:
            sizes.append(self._size(node.arguments[0].value, known=known))
        self._add("judge", node.name.text, None, _sum(sizes))

    def _follow(self, node: tree.Call) -> None:
        if not isinstance(node.callee, tree.Variable):
            return
        name = node.callee.name
        target = self._merged.conversations.get(name)
        if target is not None and name not in self._followed:
            self._followed.add(name)
            self.visit(target.body, known=False, in_ask=False)

    def _add(
        self, capability: str, judge: str | None, provider: str | None, characters: Range
    ) -> None:
        self.calls.append(PlannedCall(capability, judge, provider, characters))

    def _messages(self, messages: Sequence[tree.Message], known: bool) -> Range:
        return _sum([self._size(message.text, known=known) for message in messages])

    def _size(self, node: tree.Expr, *, known: bool) -> Range:
        if isinstance(node, tree.StringLiteral):
            return _exactly(node.value)
        if isinstance(node, tree.TextBlock):
            return _sum(
                [
                    _exactly(part) if isinstance(part, str) else self._size(part, known=known)
                    for part in node.parts
                ]
            )
        if isinstance(node, tree.Variable):
            value = self._arguments.get(node.name) if known else None
            return _VARIABLE if value is None else _exactly(value)
        return _NUMBER if isinstance(node, tree.IntLiteral | tree.FloatLiteral) else UNKNOWN


def _exactly(text: str) -> Range:
    length = len(text.encode("utf-8", "surrogatepass"))
    return length, length


def _sum(ranges: Sequence[Range]) -> Range:
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)
