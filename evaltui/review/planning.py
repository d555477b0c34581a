"""Plans an act over many cases: what it would do, what it cannot cover and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from evaltui.errors import UsageError
from evaltui.models import Action, Outcome
from evaltui.review.accepting import plan_accept, snapshot_key
from evaltui.review.acts import NEEDS, VERBS, ActPlan, Choices, PlannedTarget, Refusal
from evaltui.review.bench import PlannedCase, ReviewBench
from evaltui.review.compare import plain
from evaltui.review.resolving import PLANNERS
from evaltui.review.widening import (
    Move,
    moves_of,
    needed,
    number_of,
    plan_widen,
    scope_of,
    targets_of,
)

_WIDE = ("slice", "benchmark")
RedRows = Callable[[int, str | None], Iterable[int]]
"""Indices of the red cases of a section, of one slice if it is named."""


def make_plan(
    bench: ReviewBench,
    action: Action,
    indices: Sequence[int],
    choices: Choices,
    red_rows: RedRows,
) -> ActPlan:
    """What ``action`` would do to these cases.

    Raises:
        UsageError: the choices do not fit together, or no case was named.
        DecisionError: a decision that ``choices`` names does not exist.
    """
    asked = tuple(dict.fromkeys(indices))
    if not asked:
        raise UsageError("no case was named")
    if action is Action.RELINK and len(asked) > 1:
        raise UsageError("one case at a time can be linked to a new id")
    cases = [bench.case(index) for index in asked]
    if action is Action.WIDEN_TOLERANCE:
        return _plan_widening(bench, asked, cases, choices, red_rows)
    planned: list[PlannedTarget] = []
    refused: list[Refusal] = []
    for case in cases:
        found = _plan_one(action, case, choices, len(asked) == 1)
        if isinstance(found, Refusal):
            refused.append(found)
        else:
            planned += found
    if action is Action.ACCEPT_BASELINE:
        planned, shared = _one_value_a_file(planned)
        refused += shared
    return _plan(action, choices, asked, planned, refused)


def _plan_one(
    action: Action, case: PlannedCase, choices: Choices, alone: bool
) -> list[PlannedTarget] | Refusal:
    if action is Action.ACCEPT_BASELINE:
        return plan_accept(case, choices, alone)
    return PLANNERS[action](case, choices)


def _plan(
    action: Action,
    choices: Choices,
    asked: tuple[int, ...],
    planned: list[PlannedTarget],
    refused: list[Refusal],
    tolerance: Decimal | None = None,
    turns_green: int = 0,
) -> ActPlan:
    covered = tuple(dict.fromkeys(one.index for one in planned if one.index >= 0))
    turned_down = {one.index for one in refused}
    indices = tuple(index for index in asked if index in covered or index not in turned_down)
    return ActPlan(
        action,
        choices,
        asked,
        indices if planned else (),
        tuple(planned),
        tuple(refused),
        tuple(one.effect for one in planned),
        (),
        _sentence(action, len(asked), len(asked) - len(turned_down), refused),
        NEEDS[action],
        None if tolerance is None else plain(tolerance),
        turns_green,
    )


def _sentence(action: Action, asked: int, can: int, refused: Sequence[Refusal]) -> str:
    verb = VERBS[action]
    if asked == 1 and refused:
        return f"{refused[0].case_id} cannot be {verb}: {refused[0].reason}"
    text = f"{can} of {asked} can be {verb}"
    kinds = Counter(one.kind for one in refused)
    reasons = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"{text}; {reasons}" if reasons else text


def _one_value_a_file(
    planned: list[PlannedTarget],
) -> tuple[list[PlannedTarget], list[Refusal]]:
    """Cases that share a snapshot key with an earlier one, but not its value, are refused."""
    owners: dict[tuple[str, str, str], PlannedTarget] = {}
    clashing: list[Refusal] = []
    for one in planned:
        key = snapshot_key(one.target.check)
        if key is None:
            continue
        owner = owners.setdefault((one.section.folder, one.target.benchmark, key), one)
        if owner.target.new_digest != one.target.new_digest and one.target.case_id is not None:
            reason = f"it shares the snapshot key {key!r} with {owner.target.case_id}"
            clashing.append(Refusal(one.index, one.target.case_id, "shared key", reason))
    refused = {one.index for one in clashing}
    return [one for one in planned if one.index not in refused], clashing


def _plan_widening(
    bench: ReviewBench,
    asked: tuple[int, ...],
    cases: Sequence[PlannedCase],
    choices: Choices,
    red_rows: RedRows,
) -> ActPlan:
    scope = scope_of(choices.scope)
    moved: list[tuple[PlannedCase, list[Move]]] = []
    refused: list[Refusal] = []
    for case in cases:
        found = plan_widen(case, choices)
        if isinstance(found, Refusal):
            refused.append(found)
        else:
            moved.append((case, found))
    smallest = needed(move for _, moves in moved for move in moves)
    if smallest is None:
        return _plan(Action.WIDEN_TOLERANCE, choices, asked, [], refused)
    tolerance = number_of(choices.tolerance) if choices.tolerance else smallest
    _require_widening(tolerance, moved)
    planned: dict[object, PlannedTarget] = {}
    for case, moves in moved:
        for one in targets_of(case, moves, tolerance, choices):
            planned.setdefault((one.section.number, *_place(one)), one)
    green = _turned_green(bench, moved, tolerance, scope, choices, red_rows)
    return _plan(
        Action.WIDEN_TOLERANCE,
        choices,
        asked,
        list(planned.values()),
        refused,
        tolerance,
        green,
    )


def _place(one: PlannedTarget) -> tuple[str | None, str | None, str | None]:
    return one.target.case_id, one.target.check, one.target.slice


def _require_widening(tolerance: Decimal, moved: Sequence[tuple[PlannedCase, list[Move]]]) -> None:
    today = max(move.tolerance for _, moves in moved for move in moves)
    if tolerance <= today:
        raise UsageError(
            f"{plain(tolerance)} does not widen the tolerance",
            hint=f"it is {plain(today)} today; write a larger number",
        )


def _turned_green(
    bench: ReviewBench,
    moved: Sequence[tuple[PlannedCase, list[Move]]],
    tolerance: Decimal,
    scope: str,
    choices: Choices,
    red_rows: RedRows,
) -> int:
    cases = {case.spec.index: case for case, _ in moved}
    if scope in _WIDE:
        for case, _ in moved:
            name = (choices.slice or case.spec.slices[0]) if scope == "slice" else None
            for index in red_rows(case.section.number, name):
                if index not in cases:
                    cases[index] = bench.case(index)
    return sum(_would_pass(case, tolerance, choices.check) for case in cases.values())


def _would_pass(case: PlannedCase, tolerance: Decimal, check: str | None) -> bool:
    """Whether a case passes once the tolerance of its checks is this number."""
    covered = {move.check for move in moves_of(case, check) if move.distance <= tolerance}
    red = {one.id for one in case.judgement.checks if one.outcome is not Outcome.PASS}
    plain_red = case.judgement.outcome in (Outcome.FAIL, Outcome.REVIEW) and bool(red)
    return plain_red and case.result.denied is None and red <= covered
