"""What parses and checks but cannot be executed (language specification 8.1)."""

from __future__ import annotations

from evaltui.ulx import tree
from evaltui.ulx.tree import Block, Declaration, Message
from evaltui.ulx.tree_walk import Node, Parts, benchmark_values, parts

NOTE = (
    "note: ulx-ir v0.1 only supports `system:`/`user:` messages that lead to an `assistant ->` "
    "binding, and nothing but messages in the body of an `ask`"
)


class LoweringError(Exception):
    """``str()`` is the debug form of the failure."""

    def __init__(self, kind: str, conversation: str) -> None:
        super().__init__(f'{kind} {{ conversation: "{conversation}" }}')


def refuse_unrunnable(declaration: Declaration) -> None:
    """Raise ``LoweringError`` for the first thing in ``declaration`` that cannot be executed."""
    name = declaration.name.text
    match declaration:
        case tree.Conversation(body=body):
            _block(body, name)
        case tree.Rubric(fields=fields):
            for _, value in fields:
                _visit(value, name)
        case tree.Dataset(rows=rows):
            for row in rows:
                _visit(row, name)
        case tree.Benchmark(statements=statements):
            for statement in statements:
                _visit_all([*benchmark_values(statement)], name)


def _block(block: Block, name: str) -> None:
    waiting = False
    for statement in block.statements:
        if isinstance(statement, Message):
            waiting = True
        elif waiting and not isinstance(statement, tree.Assistant):
            raise LoweringError("DanglingMessages", name)
        else:
            waiting = False
        _visit(statement, name)
    if waiting:
        raise LoweringError("DanglingMessages", name)
    if block.tail is not None:
        _visit(block.tail, name)


def _visit(node: Node, name: str) -> None:
    match node:
        case Block():
            _block(node, name)
        case tree.AskStatement(ask=ask):
            _ask(ask, name)
        case tree.Ask():
            _ask(node, "<ask expr>")
        case tree.If():
            _visit(node.condition, name)
            _block(node.then, "<if>")
            _block(node.otherwise, "<else>")
        case tree.Retry():
            _block(node.body, "<retry>")
            _visit_all(parts(node)[1:], name)
        case tree.Match():
            _visit(node.subject, name)
            for arm in node.arms:
                _visit(arm.body, "<match arm>" if isinstance(arm.body, Block) else name)
        case _:
            _visit_all(parts(node), name)


def _visit_all(nodes: Parts, name: str) -> None:
    for node in nodes:
        _visit(node, name)


def _ask(ask: tree.Ask, name: str) -> None:
    for argument in ask.arguments:
        _visit(argument.value, name)
    body = ask.body
    if body.tail is not None or not all(isinstance(node, Message) for node in body.statements):
        raise LoweringError("UnsupportedAskBodyStatement", name)
    _visit_all([*body.statements], name)
