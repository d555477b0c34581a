"""Calls of conversations, list methods and library functions (runtime specification 2.10)."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.engine.carriers import UNIT, Value
from evaltui.engine.compiling import CompiledConversation, Scope, compile_node, compiles
from evaltui.engine.failures import not_implemented, type_error
from evaltui.engine.library import Arguments, World, call_library
from evaltui.engine.machine import Code, Frame, Machine, too_deep
from evaltui.engine.rendering import display
from evaltui.ulx import tree

ArgumentCode = tuple[str | None, Code]


def argument_codes(arguments: Sequence[tree.Argument], scope: Scope) -> list[ArgumentCode]:
    """Names (None when positional) and closures of call arguments."""
    return [
        (argument.name.text if argument.name else None, compile_node(argument.value, scope))
        for argument in arguments
    ]


def evaluate_arguments(codes: list[ArgumentCode], machine: Machine) -> Arguments:
    """The arguments of a call, left to right."""
    return [(name, code(machine)) for name, code in codes]


def bind_parameters(parameters: Sequence[str], arguments: Arguments) -> Frame:
    """Each parameter takes the argument of its name, else the next positional one.

    Parameters without an argument stay unbound, surplus arguments are ignored.
    """
    named = {name: value for name, value in arguments if name is not None}
    positional = iter([value for name, value in arguments if name is None])
    frame: Frame = {}
    for parameter in parameters:
        if parameter in named:
            frame[parameter] = named[parameter]
            continue
        for value in positional:
            frame[parameter] = value
            break
    return frame


@compiles(tree.Call)
def _call(node: tree.Call, scope: Scope) -> Code:
    callee = node.callee
    if isinstance(callee, tree.Variable):
        name = callee.name
        if scope.conversations_visible and name in scope.declarations.conversations:
            return _conversation_call(scope.declarations.conversations[name], node, scope)
        if name == "capability":
            return _capability(node, scope)
    if isinstance(callee, tree.Field) and isinstance(callee.base, tree.Variable):
        return _method(callee.base.name, callee.name.text, node, scope)

    def refuse(machine: Machine) -> Value:
        raise not_implemented("calls to a computed/unknown callee")

    return refuse


def _conversation_call(target: CompiledConversation, node: tree.Call, scope: Scope) -> Code:
    codes = argument_codes(node.arguments, scope)

    def run(machine: Machine) -> Value:
        given = evaluate_arguments(codes, machine)
        return call_conversation(target, given, machine)

    return run


def call_conversation(
    target: CompiledConversation, arguments: Arguments, machine: Machine
) -> Value:
    """Run a conversation in an environment of its own.

    Raises:
        RuntimeFailure: an argument is missing, or calls are nested too deeply.
    """
    frame = bind_parameters(target.parameters, arguments)
    for name in target.parameters:
        if name not in frame:
            raise type_error(f"missing argument `{name}` calling `{target.name}`")
    machine.effects.tick()
    shown = [("_" if name is None else name, value) for name, value in arguments]
    with machine.effects.conversation(target.name, shown):
        saved = machine.enter(frame)
        try:
            return target.body(machine)
        except RecursionError:
            raise too_deep() from None
        finally:
            machine.leave(saved)


def _capability(node: tree.Call, scope: Scope) -> Code:
    if not node.arguments:
        return lambda machine: "capability()"
    argument = node.arguments[0].value
    if isinstance(argument, tree.Variable):
        text = f"capability({argument.name})"
        return lambda machine: text
    code = compile_node(argument, scope)
    return lambda machine: f"capability({display(code(machine))})"


def _method(owner: str, method: str, node: tree.Call, scope: Scope) -> Code:
    codes = argument_codes(node.arguments, scope)
    documents = scope.documents

    def run(machine: Machine) -> Value:
        frame = machine.find(owner)
        if frame is not None and isinstance(frame[owner], list):
            return _list_method(owner, method, frame, codes, machine)
        world = World(machine.effects, documents)
        return call_library(owner, method, evaluate_arguments(codes, machine), world)

    return run


def _list_method(
    owner: str, method: str, frame: Frame, codes: list[ArgumentCode], machine: Machine
) -> Value:
    arguments = evaluate_arguments(codes, machine)
    if method not in ("append", "push"):
        raise not_implemented(
            f"list method `.{method}(...)` (only `.append`/`.push` are implemented)"
        )
    items = frame[owner]
    added: list[Value] = [arguments[0][1] if arguments else UNIT]
    # Values are never changed in place: another name may hold the same list.
    frame[owner] = items + added if isinstance(items, list) else added
    return UNIT
