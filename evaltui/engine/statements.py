"""Blocks and statements as closures (runtime specification 2.2, 2.3, 2.6, 2.7, 2.9, 3.1)."""

from __future__ import annotations

from collections.abc import Callable

from evaltui.engine.asking import ask_code, message_codes
from evaltui.engine.carriers import UNIT, Value, Verdict, truthy
from evaltui.engine.compiling import Scope, compile_node, compiles, constant
from evaltui.engine.effects import Dialect
from evaltui.engine.failures import not_implemented, type_error
from evaltui.engine.machine import Code, Machine
from evaltui.ulx import tree


class _LoopLeft(Exception):
    """A ``break`` on its way to its loop."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


@compiles(tree.Block)
def _block(node: tree.Block, scope: Scope) -> Code:
    body = body_code(node, scope)

    def run(machine: Machine) -> Value:
        frames = machine.frames
        frames.append({})
        value = body(machine)
        frames.pop()
        return value

    return run


def body_code(node: tree.Block, scope: Scope) -> Code:
    """The statements and tail of a block, in the frame at hand."""
    steps = _steps(node.statements, scope)
    if node.tail is not None:
        steps.append(compile_node(node.tail, scope))
    if len(steps) == 1:
        return steps[0]

    def run(machine: Machine) -> Value:
        value: Value = UNIT
        for step in steps:
            value = step(machine)
        return value

    return run


def _steps(statements: tuple[tree.Statement, ...], scope: Scope) -> list[Code]:
    steps: list[Code] = []
    queue: list[tree.Message] = []
    for statement in statements:
        if isinstance(statement, tree.Message):
            queue.append(statement)
        elif isinstance(statement, tree.Assistant):
            send = ask_code("chat", (), message_codes(queue, scope), scope)
            steps.append(_bind(statement.name.text, send))
            queue = []
        else:
            steps.append(compile_node(statement, scope))
    return steps


def _bind(name: str, value: Code) -> Code:
    def run(machine: Machine) -> Value:
        result = machine.frames[-1][name] = value(machine)
        return result

    return run


@compiles(tree.Binding)
def _binding(node: tree.Binding, scope: Scope) -> Code:
    return _bind(node.name.text, compile_node(node.value, scope))


@compiles(tree.AskStatement)
def _ask_statement(node: tree.AskStatement, scope: Scope) -> Code:
    return _bind(node.name.text, compile_node(node.ask, scope))


@compiles(tree.ExpressionStatement)
def _expression_statement(node: tree.ExpressionStatement, scope: Scope) -> Code:
    return compile_node(node.value, scope)


@compiles(tree.With)
def _with(node: tree.With, scope: Scope) -> Code:
    names = [binding.name.text for binding in node.bindings]
    members = [compile_node(binding.value, scope) for binding in node.bindings]

    def run(machine: Machine) -> Value:
        branches = [_on_a_copy(member, machine) for member in members]
        value: Value = UNIT
        for name, outcome in zip(names, machine.effects.concurrently(branches), strict=True):
            if isinstance(outcome, Exception):
                raise outcome
            value = machine.frames[-1][name] = outcome
        return value

    return run


def _on_a_copy(member: Code, machine: Machine) -> Callable[[], Value]:
    copy = machine.branch()
    return lambda: member(copy)


@compiles(tree.Match)
def _match(node: tree.Match, scope: Scope) -> Code:
    subject = compile_node(node.subject, scope)
    arms: dict[str, tuple[str | None, Code]] = {}
    fallback: Code | None = None
    for arm in node.arms:
        body = compile_node(arm.body, scope)
        if arm.pattern.variant is None:
            fallback = body
        else:
            names = arm.pattern.bindings
            arms.setdefault(arm.pattern.variant, (names[0].text if names else None, body))
    return _choose(subject, arms, fallback)


def _choose(subject: Code, arms: dict[str, tuple[str | None, Code]], fallback: Code | None) -> Code:
    def run(machine: Machine) -> Value:
        value = subject(machine)
        variant = value.variant if isinstance(value, Verdict) else ""
        name, body = arms.get(variant, (None, fallback))
        if body is None:
            raise type_error(f"non-exhaustive match at runtime: no arm for `{variant}`")
        frame: dict[str, Value] = {}
        if name is not None and isinstance(value, Verdict) and value.payload is not None:
            frame[name] = value.payload
        machine.frames.append(frame)
        result = body(machine)
        machine.frames.pop()
        return result

    return run


@compiles(tree.For)
def _for(node: tree.For, scope: Scope) -> Code:
    items = compile_node(node.items, scope)
    body = compile_node(node.body, scope.inside_loop())
    name = node.name.text

    def run(machine: Machine) -> Value:
        found = items(machine)
        if not isinstance(found, list):
            raise type_error("`for` requires a list")
        value: Value = UNIT
        frames, tick = machine.frames, machine.effects.tick
        for item in found:
            tick()
            frames.append({name: item})
            value = body(machine)
            frames.pop()
        return value

    return _leaving(run, scope)


@compiles(tree.While)
def _while(node: tree.While, scope: Scope) -> Code:
    condition = compile_node(node.condition, scope)
    body = compile_node(node.body, scope.inside_loop())

    def run(machine: Machine) -> Value:
        value: Value = UNIT
        while truthy(condition(machine)):
            machine.effects.tick()
            value = body(machine)
        return value

    return _leaving(run, scope)


def _leaving(loop: Code, scope: Scope) -> Code:
    if scope.dialect is Dialect.ULX:
        return loop

    def run(machine: Machine) -> Value:
        depth = len(machine.frames)
        try:
            return loop(machine)
        except _LoopLeft as left:
            del machine.frames[depth:]
            return left.value

    return run


@compiles(tree.Break)
def _break(node: tree.Break, scope: Scope) -> Code:
    value = constant(UNIT) if node.value is None else compile_node(node.value, scope)
    if scope.dialect is Dialect.ULX or not scope.in_loop:
        return value

    def run(machine: Machine) -> Value:
        raise _LoopLeft(value(machine))

    return run


@compiles(tree.Message)
def _message(node: tree.Message, scope: Scope) -> Code:
    def run(machine: Machine) -> Value:
        raise not_implemented(f"a `{node.role}:` message that no `assistant ->` follows")

    return run
