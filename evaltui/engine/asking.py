"""Asking a model: ``ask``, judge and validator calls, ``escalate`` (runtime specification 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaltui.engine.calls import argument_codes, bind_parameters, evaluate_arguments
from evaltui.engine.carriers import Unsettled, Value
from evaltui.engine.compiling import CompiledRubric, Scope, compile_node, compiles
from evaltui.engine.effects import Message, Request
from evaltui.engine.failures import not_implemented, type_error, unknown_rubric
from evaltui.engine.machine import Code, Frame, Machine
from evaltui.engine.rendering import display
from evaltui.engine.validators import check_json, check_regex
from evaltui.ulx import tree

POSITIONAL = "_"
"""The name under which positional arguments of an ``ask`` are sent."""

MessageCode = tuple[str, Code]


def message_codes(messages: Sequence[tree.Message], scope: Scope) -> list[MessageCode]:
    """Roles and texts of messages."""
    return [(message.role, compile_node(message.text, scope)) for message in messages]


@compiles(tree.Ask)
def _ask(node: tree.Ask, scope: Scope) -> Code:
    queued = [entry for entry in node.body.statements if isinstance(entry, tree.Message)]
    messages = message_codes(queued, scope.inside_ask())
    return ask_code(node.capability.text, node.arguments, messages, scope)


def ask_code(
    capability: str,
    arguments: Sequence[tree.Argument],
    messages: list[MessageCode],
    scope: Scope,
) -> Code:
    """Send ``messages`` with ``arguments``; the texts are evaluated first (3.2)."""
    values = [(name or POSITIONAL, code) for name, code in argument_codes(arguments, scope)]

    def run(machine: Machine) -> Value:
        sent = tuple([Message(role, display(text(machine))) for role, text in messages])
        given = _sorted({name: value(machine) for name, value in values})
        for value in given.values():
            if isinstance(value, Unsettled):
                return value
        provider = given.get("provider")
        pinned = provider if isinstance(provider, str) else None
        return machine.effects.call(Request(capability, sent, given, pinned))

    return run


def _sorted(values: Frame) -> Frame:
    return dict(sorted(values.items())) if len(values) > 1 else values


@compiles(tree.RubricCall)
def _rubric_call(node: tree.RubricCall, scope: Scope) -> Code:
    kind, name = tree.RubricKind(node.kind), node.name.text
    rubrics = scope.declarations.rubrics
    arguments = argument_codes(node.arguments, scope)
    settle = _ask_judge if kind is tree.RubricKind.JUDGE else _validate

    def run(machine: Machine) -> Value:
        rubric = rubrics.get(name)
        if rubric is None or rubric.kind is not kind:
            raise unknown_rubric(name)
        given = evaluate_arguments(arguments, machine)
        return apply_rubric(rubric, bind_parameters(rubric.parameters, given), machine, settle)

    return run


Settle = Callable[[CompiledRubric, Value, Machine], Value]


def apply_rubric(
    rubric: CompiledRubric, parameters: Frame, machine: Machine, settle: Settle
) -> Value:
    """Apply a judge or validator in an environment of its ``parameters``."""
    subject = parameters.get(rubric.parameters[0], "") if rubric.parameters else ""
    saved = machine.enter(parameters)
    try:
        return settle(rubric, subject, machine)
    finally:
        machine.leave(saved)


def call_judge(rubric: CompiledRubric, subject: Value, machine: Machine) -> Value:
    """Ask the judge about ``subject`` with only its first parameter bound."""
    return apply_rubric(rubric, dict.fromkeys(rubric.parameters[:1], subject), machine, _ask_judge)


def _ask_judge(rubric: CompiledRubric, subject: Value, machine: Machine) -> Value:
    code = rubric.fields.get("rubric")
    if code is None:
        raise type_error(f"judge `{rubric.name}` has no `rubric` field")
    rule = code(machine)
    machine.judge, machine.rubric = rubric.name, rule
    arguments = {"rubric": rule, "subject": subject}
    return machine.effects.call(
        Request(
            "judge",
            (),
            arguments,
            judge=rubric.name,
            attempt=machine.attempt,
            template=rubric.template,
        )
    )


def _validate(rubric: CompiledRubric, subject: Value, machine: Machine) -> Value:
    text = subject if isinstance(subject, str) else ""
    if "regex" in rubric.fields:
        pattern = rubric.fields["regex"](machine)
        machine.effects.validated("regex", subject)
        return check_regex(pattern if isinstance(pattern, str) else "", text)
    if "json_schema" in rubric.fields:
        machine.effects.validated("json_schema", subject)
        return check_json(text)
    raise not_implemented(
        f"validator `{rubric.name}` has no supported field "
        "(only `regex`/`json_schema` are implemented)"
    )


@compiles(tree.Escalate)
def _escalate(node: tree.Escalate, scope: Scope) -> Code:
    target = node.target.text
    values = [(name.text, compile_node(value, scope)) for name, value in node.arguments]

    def run(machine: Machine) -> Value:
        given = _sorted({name: value(machine) for name, value in values})
        reason = display(given["reason"]) if "reason" in given else f"escalation to {target}"
        return machine.effects.escalate(target, given, reason)

    return run
