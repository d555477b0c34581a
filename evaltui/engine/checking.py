"""The checks of a benchmark: ``assert``, ``expect`` and ``snapshot`` (runtime spec 8.2 to 8.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaltui.engine.carriers import ESCALATE, Unsettled, Value, Verdict, truthy
from evaltui.engine.compiling import Scope, compile_node
from evaltui.engine.effects import Dialect
from evaltui.engine.machine import Code, Machine
from evaltui.engine.rendering import display, display_float
from evaltui.engine.witnesses import Note, reason, witness
from evaltui.models import CheckKind
from evaltui.ulx import tree

MAX_ATTEMPTS: Final = 3
"""Attempts of an ``expect``, the first pass counts."""


class RawAttempt(Struct, frozen=True):
    """One attempt of an ``expect``; ``verdict`` is whatever its right side came to."""

    number: int
    verdict: Value
    passed: bool


class RawCheck(Struct, frozen=True):
    """What one check came to, before baselines are looked at.

    ``value`` is what can become a baseline: a snapshot's value or a Score. ``draft`` is set when
    the value or verdict is no answer at all.
    """

    id: str
    kind: CheckKind
    passed: bool
    message: str = ""
    value: Value | None = None
    key: str | None = None
    verdict: Value | None = None
    judge: str | None = None
    rubric: str | None = None
    threshold: float | None = None
    attempts: tuple[RawAttempt, ...] = ()
    line: int | None = None
    draft: Unsettled | None = None


SnapshotComparer: TypeAlias = "Callable[[str, Value], tuple[bool, str]]"
"""Takes key and value; answers whether the snapshot holds, and why."""

CheckCode: TypeAlias = "Callable[[Machine, SnapshotComparer | None], RawCheck]"


def verdict_check(verdict: Value, threshold: float | None) -> tuple[bool, str]:
    """Whether a verdict passes a check, and the message when not (8.3)."""
    if not isinstance(verdict, Verdict):
        return False, f"`satisfies` expects a Verdict, got {display(verdict)}"
    if isinstance(verdict.payload, float):
        return _score_check(verdict.payload, threshold)
    if verdict == ESCALATE:
        return False, "judge could not decide (Escalate)"
    return verdict.variant == "Pass", str(verdict.payload or "")


def _score_check(score: float, threshold: float | None) -> tuple[bool, str]:
    passed = score > 0 if threshold is None else score >= threshold
    wanted = "(none)" if threshold is None else display_float(threshold)
    return passed, "" if passed else f"score {display_float(score)} did not meet threshold {wanted}"


def compile_assert(node: tree.Assert, scope: Scope, number: int, line: int) -> CheckCode:
    """An ``assert``; ``number`` counts from 1 among the asserts of its benchmark."""
    value = witness(node.value, scope)
    identity = f"assert#{number}"
    passed = RawCheck(identity, CheckKind.ASSERT, True, line=line)
    explains = scope.dialect is Dialect.RUN

    def run(machine: Machine, compare: SnapshotComparer | None) -> RawCheck:
        notes: list[Note] = []
        found = value(machine, notes)
        draft = _draft(found)
        if truthy(found) and draft is None:
            return passed
        holds = truthy(found)
        message = "" if holds else f"assertion failed (evaluated to {display(found)})"
        if explains and not holds:
            message = reason(node.value, notes)
        return RawCheck(identity, CheckKind.ASSERT, holds, message, line=line, draft=draft)

    return run


def compile_snapshot(node: tree.Snapshot, scope: Scope, line: int) -> CheckCode:
    """A ``snapshot``; without a comparer it passes and only carries its value."""
    value, key = compile_node(node.value, scope), compile_node(node.key, scope)

    def run(machine: Machine, compare: SnapshotComparer | None) -> RawCheck:
        found = value(machine)
        name = display(key(machine))
        passed, message = (True, "") if compare is None else compare(name, found)
        return RawCheck(
            f"snapshot:{name}",
            CheckKind.SNAPSHOT,
            passed,
            message,
            found,
            name,
            line=line,
            draft=_draft(found),
        )

    return run


def compile_expect(node: tree.Expect, scope: Scope, number: int, line: int) -> CheckCode:
    """An ``expect``, asked up to three times; ``number`` counts from 1 among the expects."""
    subject, judge = compile_node(node.subject, scope), compile_node(node.judge, scope)
    threshold = node.threshold
    blank = RawCheck(f"expect#{number}", CheckKind.EXPECT, True, threshold=threshold, line=line)
    escalates = scope.dialect is Dialect.RUN

    def run(machine: Machine, compare: SnapshotComparer | None) -> RawCheck:
        machine.judge = machine.rubric = None
        value, attempts = _resample(subject, judge, threshold, machine)
        decided = attempts[-1].verdict
        if escalates and decided == ESCALATE:
            decided = _ask_person(machine, value)
        return _settled(blank, attempts, decided, machine)

    return run


def _settled(
    blank: RawCheck, attempts: list[RawAttempt], decided: Value, machine: Machine
) -> RawCheck:
    passed, message = verdict_check(decided, blank.threshold)
    verdict = attempts[-1].verdict
    return replace(
        blank,
        passed=passed,
        message=message if passed else f"{message} (after {MAX_ATTEMPTS} resample attempts)",
        value=verdict if isinstance(verdict, Verdict) and verdict.variant == "Score" else None,
        verdict=verdict,
        judge=machine.judge,
        rubric=None if machine.rubric is None else display(machine.rubric),
        attempts=tuple(attempts),
        draft=_draft(verdict),
    )


def _resample(
    subject: Code, judge: Code, threshold: float | None, machine: Machine
) -> tuple[Value, list[RawAttempt]]:
    attempts: list[RawAttempt] = []
    try:
        for number in range(MAX_ATTEMPTS):
            machine.attempt = number
            value = subject(machine)
            verdict = judge(machine)
            passed, _ = verdict_check(verdict, threshold)
            attempts.append(RawAttempt(number, verdict, passed))
            if passed:
                break
    finally:
        machine.attempt = 0
    return value, attempts


def _ask_person(machine: Machine, subject: Value) -> Value:
    return machine.effects.escalate(
        f"judge:{machine.judge or ''}", {"subject": subject}, "judge could not decide"
    )


def _draft(value: Value) -> Unsettled | None:
    return value if isinstance(value, Unsettled) else None
