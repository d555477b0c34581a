"""What parses and checks but cannot be executed (language specification 8.1)."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from evaltui.ulx import tree
from evaltui.ulx.tree import Block, Declaration, Message, Span
from evaltui.ulx.tree_walk import Node, Parts, benchmark_values, parts

NOTE = (
    "note: ulx-ir v0.1 only supports `system:`/`user:` messages that lead to an `assistant ->` "
    "binding, and nothing but messages in the body of an `ask`"
)


class Reason(StrEnum):
    """Why something cannot be executed, in the reference's names."""

    DANGLING_MESSAGES = "DanglingMessages"
    ASK_BODY = "UnsupportedAskBodyStatement"


class Unrunnable(Struct, frozen=True):
    """A place that cannot be executed; ``where`` is what the reference calls its surroundings."""

    reason: Reason
    where: str
    span: Span


class LoweringError(Exception):
    """``str()`` is the debug form of the failure."""

    def __init__(self, found: Unrunnable) -> None:
        super().__init__(f'{found.reason.value} {{ conversation: "{found.where}" }}')


def refuse_unrunnable(declaration: Declaration) -> None:
    """Raise ``LoweringError`` for the first thing in ``declaration`` that cannot be executed."""
    found = unrunnable(declaration)
    if found:
        raise LoweringError(found[0])


def unrunnable(declaration: Declaration) -> list[Unrunnable]:
    """All that cannot be executed in ``declaration``, in the order in which it is met."""
    search, name = _Search(), declaration.name.text
    match declaration:
        case tree.Conversation(body=body):
            search.block(body, name)
        case tree.Rubric(fields=fields):
            search.visit_all([value for _, value in fields], name)
        case tree.Dataset(rows=rows):
            search.visit_all([*rows], name)
        case tree.Benchmark(statements=statements):
            for statement in statements:
                search.visit_all([*benchmark_values(statement)], name)
    return search.found


class _Search:
    """Walks over a tree and notes what cannot be executed."""

    def __init__(self) -> None:
        self.found: list[Unrunnable] = []

    def block(self, block: Block, name: str) -> None:
        waiting: Message | None = None
        for statement in block.statements:
            if isinstance(statement, Message):
                waiting = statement
            elif waiting is not None:
                if not isinstance(statement, tree.Assistant):
                    self._note(Reason.DANGLING_MESSAGES, name, waiting.span)
                waiting = None
            self.visit(statement, name)
        if waiting is not None:
            self._note(Reason.DANGLING_MESSAGES, name, waiting.span)
        if block.tail is not None:
            self.visit(block.tail, name)

    def visit(self, node: Node, name: str) -> None:
        match node:
            case Block():
                self.block(node, name)
            case tree.AskStatement(ask=ask):
                self._ask(ask, name)
            case tree.Ask():
                self._ask(node, "<ask expr>")
            case tree.If():
                self.visit(node.condition, name)
                self.block(node.then, "<if>")
                self.block(node.otherwise, "<else>")
            case tree.Retry():
                self.block(node.body, "<retry>")
                self.visit_all(parts(node)[1:], name)
            case tree.Match():
                self.visit(node.subject, name)
                for arm in node.arms:
                    self.visit(arm.body, "<match arm>" if isinstance(arm.body, Block) else name)
            case _:
                self.visit_all(parts(node), name)

    def visit_all(self, nodes: Parts, name: str) -> None:
        for node in nodes:
            self.visit(node, name)

    def _ask(self, ask: tree.Ask, name: str) -> None:
        for argument in ask.arguments:
            self.visit(argument.value, name)
        body = ask.body
        others: Parts = [node for node in body.statements if not isinstance(node, Message)]
        if body.tail is not None:
            others.append(body.tail)
        if others:
            self._note(Reason.ASK_BODY, name, others[0].span)
        self.visit_all([node for node in body.statements if isinstance(node, Message)], name)

    def _note(self, reason: Reason, where: str, span: Span) -> None:
        self.found.append(Unrunnable(reason, where, span))
