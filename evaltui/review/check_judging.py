"""What one check means in the light of its baseline, the decisions and the policy (design 3, 5)."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from evaltui.engine.values import JsonError, Value, tagged, untagged
from evaltui.errors import DecisionError
from evaltui.models import (
    CaseResult,
    CaseSpec,
    CheckJudgement,
    CheckKind,
    CheckResult,
    CheckState,
    Gate,
    Outcome,
)
from evaltui.review.baselines import Baseline
from evaltui.review.chain_index import CaseChains
from evaltui.review.chains import ChainState, Held
from evaltui.review.compare import ROOT, Change, Difference, compare, decimal_of, plain
from evaltui.review.context import ReviewContext, SectionReview
from evaltui.review.policy import ZERO
from evaltui.review.wording import label

NO_BASELINE = "no baseline yet"
UNSIGNED = "the baseline has no decision behind it"
MOVED = "the baseline is not the value that was accepted"


class Judged(Struct, frozen=True):
    """A check's judgement, and what the case as a whole needs to know of it."""

    check: CheckJudgement
    shape: str = ""
    held: Held | None = None
    """The acceptance, or the widening, that the outcome rests on."""
    tolerated: bool = False
    alone: Outcome | None = None
    """The outcome by the policy alone, where a widening changed it."""


@lru_cache(maxsize=4096)
def passed(check_id: str, message: str) -> Judged:
    """A check that passes by itself and has nothing to accept."""
    return Judged(CheckJudgement(check_id, Outcome.PASS, message))


class CheckJudge(Struct, frozen=True):
    """Judges the checks of one case."""

    context: ReviewContext
    view: SectionReview
    spec: CaseSpec
    result: CaseResult
    case: CaseChains | None

    def judge(self, check: CheckResult) -> Judged:
        """The judgement of a check."""
        if check.state is CheckState.FAIL:
            return Judged(CheckJudgement(check.id, Outcome.FAIL, check.message, Gate.FAIL))
        if check.state is CheckState.ERROR:
            return Judged(CheckJudgement(check.id, Outcome.ERROR, check.message, Gate.COVERAGE))
        if check.kind is CheckKind.SNAPSHOT and check.state is CheckState.COMPARED:
            return self._snapshot(check)
        if check.value is not None:
            return self._score(check)
        return passed(check.id, check.message)

    def _snapshot(self, check: CheckResult) -> Judged:
        baseline = self.view.folder.baselines.read(self.view.section.benchmark, check.key or "")
        if baseline is None:
            message = f"snapshot `{check.key}`: {NO_BASELINE}"
            return Judged(_review(check, Gate.NEW, message, delta="new"), "new")
        state = self._chain(check.id)
        try:
            return self._compared(check, state, baseline)
        except DecisionError as error:
            return Judged(_review(check, Gate.UNREVIEWED, error.message), "unreadable baseline")

    def _compared(self, check: CheckResult, state: ChainState | None, file: Baseline) -> Judged:
        same = file.is_exactly(check.value or "")
        gate, message = self._standing(state, file)
        if same and gate is None and state is not None:
            return self._equal(check, state, file)
        change = None if same else self._change(check, file.value)
        judged = self._within(check, change, state)
        seen = replace(
            judged.check,
            old=file.tagged,
            old_label=self._label(state),
            old_instrument=_instrument(state),
        )
        if gate is None:
            return replace(judged, check=seen)
        seen = replace(
            seen, outcome=Outcome.REVIEW, gate=gate, message=f"snapshot `{check.key}`: {message}"
        )
        return replace(judged, check=replace(seen, acceptable=True), alone=None, tolerated=False)

    def _equal(self, check: CheckResult, state: ChainState, file: Baseline) -> Judged:
        held = state.held
        seen = CheckJudgement(
            check.id,
            Outcome.PASS,
            "",
            old=file.tagged,
            old_label=self._label(state),
            decision=held.decision.id if held else None,
            old_instrument=_instrument(state),
        )
        return Judged(seen, held=held)

    def _standing(self, state: ChainState | None, file: Baseline | None) -> tuple[Gate | None, str]:
        """Why an accepted value does not count today, if it does not."""
        if state is not None and state.conflict:
            return Gate.CONFLICT, "decided differently in two places"
        if state is None or state.held is None:
            return Gate.UNREVIEWED, UNSIGNED
        target = state.held.target
        if file is not None and file.digest != target.new_digest:
            return Gate.UNREVIEWED, MOVED
        if state.expired:
            return Gate.EXPIRED, f"the acceptance expired on {state.held.expires}"
        if target.instrument and self.result.instrument not in ("", target.instrument):
            return Gate.INSTRUMENT, "measured by another instrument than the baseline"
        return None, ""

    def _score(self, check: CheckResult) -> Judged:
        state = self._chain(check.id)
        if state is None or (state.held is None and not state.conflict):
            seen = CheckJudgement(check.id, Outcome.PASS, check.message, acceptable=True)
            return Judged(seen)
        gate, message = self._standing(state, None)
        if state.held is None:
            return Judged(_review(check, Gate.CONFLICT, message))
        try:
            old = self.view.folder.value(state.held.target.new_digest or "")
        except DecisionError as error:
            return Judged(_review(check, Gate.UNREVIEWED, error.message))
        judged = self._drift(check, state, old)
        if gate is None:
            return judged
        seen = replace(judged.check, outcome=Outcome.REVIEW, gate=gate, message=message)
        return replace(judged, check=replace(seen, acceptable=True), alone=None, tolerated=False)

    def _drift(self, check: CheckResult, state: ChainState, old: Value) -> Judged:
        change = self._change(check, old)
        judged = self._within(check, None if change.equal else change, state, Gate.DRIFT)
        seen = replace(
            judged.check,
            old=tagged(old),
            old_label=self._label(state),
            old_instrument=_instrument(state),
        )
        return replace(judged, check=seen)

    def _within(
        self,
        check: CheckResult,
        change: Change | None,
        state: ChainState | None,
        gate: Gate = Gate.FAIL,
    ) -> Judged:
        """Pass when equal or within the effective tolerance, else what ``gate`` stands for."""
        number, policy, widened = self._tolerance(check.id)
        held = state.held if state else None
        seen = CheckJudgement(
            check.id,
            Outcome.PASS,
            check.message,
            delta=change.delta if change else "",
            tolerance=plain(number),
            policy_tolerance=plain(policy),
            decision=held.decision.id if held else None,
            acceptable=change is not None,
        )
        if change is None or change.equal:
            return Judged(seen, held=held)
        beyond = Outcome.REVIEW if gate is Gate.DRIFT else Outcome.FAIL
        if change.within(number):
            alone = None if change.within(policy) else beyond
            rests_on = widened if alone and widened else held
            seen = replace(seen, decision=rests_on.decision.id if rests_on else None)
            return Judged(seen, change.shape, rests_on, tolerated=True, alone=alone)
        message = _moved(check, change, number)
        seen = replace(seen, outcome=beyond, gate=gate, message=message)
        return Judged(seen, change.shape, held)

    def _tolerance(self, check: str) -> tuple[Decimal, Decimal, Held | None]:
        """The effective tolerance, the policy's, and the widening that makes the difference."""
        policy = self.view.policy_tolerance(check)
        if self.case is None and not self.view.chains.wide_tolerances:
            return policy, policy, None
        for state in self.view.widenings(self.spec.case_id, check, self.spec.slices):
            live = state.live
            number = Decimal(live.target.new_tolerance or 0) if live else ZERO
            if live is not None and number > policy:
                return number, policy, live
        return policy, policy, None

    def _change(self, check: CheckResult, old: Value) -> Change:
        try:
            new = untagged(check.value or "")
        except JsonError:
            # A number that is not finite is written as null and cannot be read back.
            return Change(
                (Difference(ROOT, "changed", old, None),), None, "not finite", "not finite"
            )
        return compare(old, new, self.view.compare_rule(check.id).list_key)

    def _chain(self, check: str) -> ChainState | None:
        own = self.case.values.get(check) if self.case else None
        if own is not None and (own.held is not None or own.conflict):
            return own
        return self.view.chains.wide_values.get(check) or own

    def _label(self, state: ChainState | None) -> str:
        if state is None or state.held is None:
            return "no decision"
        return label(state.held, self.context.today)


def near_threshold(check: CheckResult, band: Decimal) -> bool:
    """Whether a Score lies within ``band`` of its threshold, edges included."""
    if check.value is None or check.threshold is None:
        return False
    try:
        number = decimal_of(untagged(check.value))
        return number is not None and abs(number - Decimal(check.threshold)) <= band
    except (JsonError, ArithmeticError):
        return False


def _review(check: CheckResult, gate: Gate, message: str, delta: str = "") -> CheckJudgement:
    return CheckJudgement(check.id, Outcome.REVIEW, message, gate, delta=delta, acceptable=True)


def _moved(check: CheckResult, change: Change, tolerance: Decimal) -> str:
    if check.kind is CheckKind.SNAPSHOT:
        return f"snapshot `{check.key}` differs from its baseline: {change.delta}"
    return f"the accepted score moved by {change.delta}, tolerance {plain(tolerance)}"


def _instrument(state: ChainState | None) -> str | None:
    return state.held.target.instrument if state and state.held else None
