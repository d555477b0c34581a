"""How far a tolerance has to be widened for cases to pass, and how widely it would apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from evaltui.decimals import decimal_of
from evaltui.engine.values import JsonError, untagged
from evaltui.errors import UsageError
from evaltui.models import CheckJudgement, CheckKind, Outcome, Target
from evaltui.review.acts import Choices, PlannedTarget, Refusal
from evaltui.review.bench import PlannedCase
from evaltui.review.compare import compare, plain
from evaltui.review.links import Family

SCOPES = ("check", "case", "slice", "benchmark")
_NUMERIC = (CheckKind.SNAPSHOT, CheckKind.EXPECT)


class Move(Struct, frozen=True):
    """A check of a case in which nothing but numbers moved."""

    check: str
    distance: Decimal
    tolerance: Decimal
    """The effective tolerance today."""
    beyond: bool
    """Whether the check does not pass because of it."""


def moves_of(case: PlannedCase, only: str | None = None) -> list[Move]:
    """The checks of a case that a tolerance could cover, those that fail by it first."""
    found = [
        move
        for judged in case.judgement.checks
        if only in (None, judged.id) and (move := _move(case, judged)) is not None
    ]
    return sorted(found, key=lambda move: not move.beyond)


def plan_widen(case: PlannedCase, choices: Choices) -> list[Move] | Refusal:
    """The moves of a case that an act of widening is about, or why there are none."""
    moves = moves_of(case, choices.check)
    beyond = [move for move in moves if move.beyond]
    if beyond:
        return beyond
    spec, outcome = case.spec, case.judgement.outcome
    if outcome in (Outcome.ERROR, Outcome.SUSPENDED, Outcome.SKIPPED):
        reason = f"it is {outcome.value}: there is no number to compare"
        return Refusal(spec.index, spec.case_id, "no result", reason)
    if outcome is Outcome.PASS:
        return Refusal(spec.index, spec.case_id, "passes", "it passes already")
    reason = "no tolerance can cover it: something else than numbers moved, or a check failed"
    return Refusal(spec.index, spec.case_id, "not numeric", reason)


def targets_of(
    case: PlannedCase, moves: Sequence[Move], tolerance: Decimal, choices: Choices
) -> list[PlannedTarget]:
    """The targets that widen for these moves; several cases may share one."""
    scope = choices.scope or "check"
    bare = [_scoped(case, move, scope, choices) for move in moves]
    targets = []
    for target in dict.fromkeys(bare):
        state = case.state(target, Family.TOLERANCE)
        today = max(move.tolerance for move in moves)
        full = replace(
            target,
            old_tolerance=plain(today),
            new_tolerance=plain(tolerance),
            parent=state.ends[0] if state.ends else None,
        )
        effect = f"{_name(full)}: tolerance {plain(today)} to {plain(tolerance)}"
        targets.append(
            PlannedTarget(
                case.spec.index, case.section, full, Family.TOLERANCE, state.ends, effect=effect
            )
        )
    return targets


def number_of(text: str) -> Decimal:
    """A tolerance as typed.

    Raises:
        UsageError: not a number, negative, or not finite.
    """
    number = decimal_of(text)
    if number is None:
        raise UsageError(f"not a tolerance: {text!r}", hint="write a number such as 0.05")
    if number <= 0:
        raise UsageError(f"a tolerance is a number above 0, not {text!r}")
    return number


def scope_of(text: str | None) -> str:
    """A scope by name.

    Raises:
        UsageError: there is no such scope.
    """
    if text is None or text in SCOPES:
        return text or "check"
    raise UsageError(f"no scope {text!r}", hint=f"use one of {', '.join(SCOPES)}")


def needed(moves: Iterable[Move]) -> Decimal | None:
    """The smallest tolerance that covers all these moves."""
    return max((move.distance for move in moves), default=None)


def _move(case: PlannedCase, judged: CheckJudgement) -> Move | None:
    result = next((one for one in case.result.checks if one.id == judged.id), None)
    if result is None or result.kind not in _NUMERIC or not judged.delta or judged.old is None:
        return None
    list_key = case.view.compare_rule(judged.id).list_key
    try:
        change = compare(untagged(judged.old), untagged(result.value or ""), list_key)
    except JsonError:
        return None
    if change.distance is None:
        return None
    tolerance = Decimal(judged.tolerance)
    beyond = judged.outcome is not Outcome.PASS and not change.within(tolerance)
    return Move(judged.id, change.distance, tolerance, beyond)


def _scoped(case: PlannedCase, move: Move, scope: str, choices: Choices) -> Target:
    section = case.section
    wide = Target(section.suite, section.benchmark, None)
    # A snapshot's check id holds its key, which other cases do not share.
    shared = None if move.check.startswith("snapshot:") else move.check
    if scope == "check":
        return case.target(move.check)
    if scope == "case":
        return case.target()
    if scope == "benchmark":
        return replace(wide, check=shared)
    name = choices.slice or next(iter(case.spec.slices), None)
    if name is None or name not in case.spec.slices:
        known = ", ".join(case.spec.slices) or "none"
        raise UsageError(
            f"{case.spec.case_id} is not in slice {name!r}", hint=f"its slices: {known}"
        )
    return replace(wide, check=shared, slice=name)


def _name(target: Target) -> str:
    parts = (target.case_id or target.benchmark, target.slice, target.check)
    return " ".join(part for part in parts if part)
