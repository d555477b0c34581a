"""What can end the evaluation of a program early (runtime specification 2.1).

None of these is an ``EvaltuiError``: they belong to one case, whose driver says what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.engine.carriers import Value
from evaltui.engine.rendering import display


class RuntimeFailure(Exception):
    """A run-time error of a program.

    ``text`` is what follows ``error: ``; ``kind`` one of ``undefined_name``, ``type_error``,
    ``not_implemented``, ``io_error``, ``replay_error``, ``unknown_name``, ``provider_choice``,
    ``provider_failed``, ``recursion``.
    """

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.text = text
        self.kind = kind


class Suspended(Exception):
    """The program waits for a person; ``arguments`` are those of the ``escalate``, by name.

    ``key`` is where the decision is looked up, as far as the effects in force have such a place.
    """

    def __init__(
        self, target: str, reason: str, arguments: Mapping[str, Value], key: str = ""
    ) -> None:
        super().__init__(f"suspended waiting on `{target}`: {reason}")
        self.target = target
        self.reason = reason
        self.arguments = arguments
        self.key = key


class Stopped(Exception):
    """A person denied an escalation and stopped the case."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note


class DeadlineExceeded(Exception):
    """The case has used up its time."""


def undefined(name: str) -> RuntimeFailure:
    """A name that nothing binds."""
    return RuntimeFailure(f"undefined name `{name}`", "undefined_name")


def type_error(detail: str) -> RuntimeFailure:
    """An operation that the value at hand does not allow."""
    return RuntimeFailure(f"type error: {detail}", "type_error")


def cannot(operation: str, *values: Value) -> RuntimeFailure:
    """``operation`` with each ``{}`` replaced by the display of a value."""
    return type_error(operation.format(*map(display, values)))


def not_implemented(detail: str) -> RuntimeFailure:
    """Something the language names but no one provides."""
    return RuntimeFailure(f"not implemented: {detail}", "not_implemented")


def io_error(detail: str) -> RuntimeFailure:
    """A file that cannot be read or written."""
    return RuntimeFailure(f"I/O error: {detail}", "io_error")


def unknown(kind: str, name: str) -> RuntimeFailure:
    """No declaration of ``kind`` (such as ``benchmark``) has this name."""
    return RuntimeFailure(f"no `{kind}` named `{name}`", "unknown_name")


def unknown_rubric(name: str) -> RuntimeFailure:
    """No judge or validator has this name."""
    return RuntimeFailure(f"no `judge`/`validator` named `{name}`", "unknown_name")
