"""Expressions without effects of their own, as closures (runtime specification 2.2 to 2.8)."""

from __future__ import annotations

from evaltui.engine.carriers import UNIT, Value, truthy
from evaltui.engine.compiling import Scope, compile_node, compiles, constant
from evaltui.engine.effects import Dialect
from evaltui.engine.failures import RuntimeFailure, Suspended, not_implemented, undefined
from evaltui.engine.machine import Code, Machine
from evaltui.engine.operators import OPERATORS, field_of, item_of, negate
from evaltui.engine.rendering import display
from evaltui.ulx import tree


@compiles(tree.IntLiteral)
def _int(node: tree.IntLiteral, scope: Scope) -> Code:
    return constant(node.value)


@compiles(tree.FloatLiteral)
def _float(node: tree.FloatLiteral, scope: Scope) -> Code:
    return constant(node.value)


@compiles(tree.StringLiteral)
def _string(node: tree.StringLiteral, scope: Scope) -> Code:
    return constant(node.value)


@compiles(tree.FileText)
def _file(node: tree.FileText, scope: Scope) -> Code:
    # Whoever merges the modules has replaced every reference that could be read.
    return constant("")


@compiles(tree.TextBlock)
def _text_block(node: tree.TextBlock, scope: Scope) -> Code:
    if all(isinstance(part, str) for part in node.parts):
        return constant("".join(part for part in node.parts if isinstance(part, str)))
    parts = [
        constant(part) if isinstance(part, str) else compile_node(part, scope)
        for part in node.parts
    ]

    def run(machine: Machine) -> Value:
        return "".join([display(part(machine)) for part in parts])

    return run


@compiles(tree.Variable)
def _variable(node: tree.Variable, scope: Scope) -> Code:
    name = node.name
    datasets = scope.declarations.datasets

    def run(machine: Machine) -> Value:
        for frame in reversed(machine.frames):
            if name in frame:
                return frame[name]
        if name in datasets:
            return datasets[name](machine)
        raise undefined(name)

    return run


@compiles(tree.Row)
def _row(node: tree.Row, scope: Scope) -> Code:
    def run(machine: Machine) -> Value:
        if machine.row is None:
            raise undefined("$ (current dataset row)")
        return machine.row

    return run


@compiles(tree.RecordLiteral)
def _record(node: tree.RecordLiteral, scope: Scope) -> Code:
    fields = [(name.text, compile_node(value, scope)) for name, value in node.fields]

    def run(machine: Machine) -> Value:
        return {name: value(machine) for name, value in fields}

    return run


@compiles(tree.Unary)
def _unary(node: tree.Unary, scope: Scope) -> Code:
    operand = compile_node(node.operand, scope)
    if node.operator == "not":
        return lambda machine: not truthy(operand(machine))
    return lambda machine: negate(operand(machine))


@compiles(tree.Binary)
def _binary(node: tree.Binary, scope: Scope) -> Code:
    if node.operator in ("and", "or"):
        return _short_circuit(node, scope)
    apply = OPERATORS[node.operator]
    left, right = _operands(node, scope)

    def run(machine: Machine) -> Value:
        return apply(left(machine), right(machine))

    return run


def _short_circuit(node: tree.Binary, scope: Scope) -> Code:
    left, right = _operands(node, scope)
    stops_when = node.operator == "or"

    def run(machine: Machine) -> Value:
        first = left(machine)
        return first if truthy(first) is stops_when else right(machine)

    return run


def _operands(node: tree.Binary, scope: Scope) -> tuple[Code, Code]:
    return compile_node(node.left, scope), compile_node(node.right, scope)


@compiles(tree.Field)
def _field(node: tree.Field, scope: Scope) -> Code:
    base = compile_node(node.base, scope)
    name = node.name.text
    return lambda machine: field_of(base(machine), name)


@compiles(tree.Index)
def _index(node: tree.Index, scope: Scope) -> Code:
    base = compile_node(node.base, scope)
    index = compile_node(node.index, scope)
    return lambda machine: item_of(base(machine), index(machine))


@compiles(tree.GenericCall)
def _generic_call(node: tree.GenericCall, scope: Scope) -> Code:
    name = node.name.text
    items = [compile_node(argument.value, scope) for argument in node.arguments]

    def build(machine: Machine) -> Value:
        return [item(machine) for item in items]

    def refuse(machine: Machine) -> Value:
        raise not_implemented(f"generic constructor `{name}<...>`")

    return build if name == "list" else refuse


@compiles(tree.If)
def _if(node: tree.If, scope: Scope) -> Code:
    condition = compile_node(node.condition, scope)
    then, otherwise = compile_node(node.then, scope), compile_node(node.otherwise, scope)

    def run(machine: Machine) -> Value:
        return then(machine) if truthy(condition(machine)) else otherwise(machine)

    return run


@compiles(tree.Retry)
def _retry(node: tree.Retry, scope: Scope) -> Code:
    body = compile_node(node.body, scope)
    otherwise = compile_node(node.otherwise, scope) if node.otherwise is not None else None
    times = max(node.times, 1)
    drops_names = scope.dialect is Dialect.RUN

    def run(machine: Machine) -> Value:
        depth = len(machine.frames)
        for attempt in range(times):
            machine.effects.tick()
            try:
                return body(machine)
            except (RuntimeFailure, Suspended):
                if drops_names:
                    del machine.frames[depth:]
                if otherwise is None and attempt == times - 1:
                    raise
        return otherwise(machine) if otherwise is not None else UNIT

    return run
