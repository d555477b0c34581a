"""What a case means: its result in the light of baselines, decisions and policy.

Judging depends on the files of the suite's folder, the policy and the result, on nothing in the
store. The order of outcomes is that of design section 3: suspended, fail, error, review, pass.
"""

from __future__ import annotations

from msgspec import Struct, field

from evaltui.engine.values import JsonError, untagged
from evaltui.models import (
    Action,
    CaseResult,
    CaseSpec,
    CheckKind,
    CheckState,
    FailureClass,
    Gate,
    Judgement,
    Outcome,
)
from evaltui.review.answering import under_answers_of_today
from evaltui.review.chain_index import CaseChains
from evaltui.review.chains import Held
from evaltui.review.check_judging import CheckJudge, Judged, passed
from evaltui.review.compare import compare
from evaltui.review.context import ReviewContext
from evaltui.review.covering import BADGE_GATES, answer_to, badges_of, closing_act, is_known
from evaltui.review.expiry import days_left
from evaltui.review.shapes import reason_shape
from evaltui.review.wording import standing

GONE = "no longer in the suite"
"""Why the row of a removed case was not run."""
_PLAIN_PASS = Judgement(Outcome.PASS)
_CLASS = {
    Gate.FAIL: FailureClass.SEMANTIC,
    Gate.DRIFT: FailureClass.SEMANTIC,
    Gate.INSTRUMENT: FailureClass.INSTRUMENT,
}
_WHY = {
    Gate.UNSTABLE: "a judge passed only at a later attempt",
    Gate.REVISED: "the row is not the one that was decided about",
    Gate.NEAR: "a score lies close to its threshold",
}
_CONFLICT = "decided differently in two places"


def judge_case(
    spec: CaseSpec,
    result: CaseResult,
    context: ReviewContext,
    previous: tuple[str, str] | None = None,
) -> Judgement:
    """What a case came to.

    Args:
        spec: The case.
        result: What running it came to.
        context: Decisions, baselines and policy of the run.
        previous: Label of an earlier run and its output as tagged JSON; shown as drift where the
            case has no baseline, and never gated.
    """
    view = context.section(spec.section)
    case = view.cases.get(spec.case_id)
    if case is None and previous is None and _is_plain(result, context):
        return _plain_pass(result)
    if result.answers:
        result = under_answers_of_today(result, case, context.run_id)
    return _Judge(CheckJudge(context, view, spec, result, case), previous).judgement()


def _is_plain(result: CaseResult, context: ReviewContext) -> bool:
    """Whether the suite's own word is all there is to say, and it is pass."""
    if result.error or result.suspension or result.denied or result.answers:
        return False
    if result.skipped is not None:
        return False
    if context.policy.near_band is not None:
        return False
    return all(
        check.state is CheckState.PASS and check.value is None and len(check.attempts) < 2
        for check in result.checks
    )


def _plain_pass(result: CaseResult) -> Judgement:
    if not result.checks:
        return _PLAIN_PASS
    checks = tuple([passed(check.id, check.message).check for check in result.checks])
    return Judgement(Outcome.PASS, checks)


class _Draft(Struct):
    """A judgement in the making."""

    outcome: Outcome
    gates: list[Gate] = field(default_factory=list)
    failure_class: FailureClass | None = None
    kind: str = ""
    failing_check: str = ""
    message: str = ""
    change: str = ""
    shape: str = ""
    waived: bool = False
    covered: bool = False
    settled: bool = False
    badges: list[str] = field(default_factory=list)
    held: Held | None = None
    """The decision to show."""


class _Judge:
    """Puts the judgement of one case together."""

    def __init__(self, checks: CheckJudge, previous: tuple[str, str] | None) -> None:
        self.checks = checks
        self.result = checks.result
        self.case: CaseChains | None = checks.case
        self.previous = previous
        self.judged: list[Judged] = []

    def judgement(self) -> Judgement:
        if self.result.skipped is not None:
            return self._skipped(self.result.skipped)
        self.judged = [self.checks.judge(check) for check in self.result.checks]
        draft = _Draft(self._outcome([one.check.outcome for one in self.judged]))
        self._explain(draft)
        self._decide(draft)
        return self._finished(draft)

    def _skipped(self, why: str) -> Judgement:
        if why != GONE or self.case is None or not is_known(self.case):
            return Judgement(Outcome.SKIPPED, message=why)
        draft = _Draft(
            Outcome.REVIEW,
            [Gate.REMOVED],
            FailureClass.FIXTURE,
            Gate.REMOVED.value,
            message="named by decisions, but no longer in the suite",
            change="removed",
            shape=reason_shape("removed"),
        )
        self._decide(draft)
        return self._finished(draft)

    def _outcome(self, outcomes: list[Outcome]) -> Outcome:
        if self.result.suspension is not None:
            return Outcome.SUSPENDED
        if self.result.denied is not None or Outcome.FAIL in outcomes:
            return Outcome.FAIL
        if self.result.error is not None or Outcome.ERROR in outcomes:
            return Outcome.ERROR
        return Outcome.REVIEW if Outcome.REVIEW in outcomes else Outcome.PASS

    def _alone(self) -> Outcome | None:
        """The outcome by the policy alone, where widenings changed that of a check."""
        if all(one.alone is None for one in self.judged):
            return None
        return self._outcome([one.alone or one.check.outcome for one in self.judged])

    def _explain(self, draft: _Draft) -> None:
        """Class, message, change and gates by outcome."""
        if draft.outcome is Outcome.SUSPENDED:
            return self._explain_waiting(draft)
        if draft.outcome is Outcome.ERROR:
            return self._explain_error(draft)
        gates = [one.check.gate for one in self.judged]
        draft.gates = [gate for gate in gates if gate and gate is not Gate.COVERAGE]
        worst = next((one for one in self.judged if one.check.outcome is draft.outcome), None)
        changed = worst if worst and worst.check.delta else None
        changed = changed or next((one for one in self.judged if one.check.delta), None)
        draft.change = changed.check.delta if changed else self._drift()
        if draft.outcome is not Outcome.PASS:
            self._explain_red(draft, worst)
        return None

    def _explain_red(self, draft: _Draft, worst: Judged | None) -> None:
        if worst is None:
            draft.failure_class, draft.kind = FailureClass.SEMANTIC, "denied"
            draft.message = self.result.denied or ""
            draft.gates.insert(0, Gate.FAIL)
            draft.shape = reason_shape("denied")
            return
        gate = worst.check.gate or Gate.FAIL
        draft.failure_class = _CLASS.get(gate)
        draft.kind = "" if gate is Gate.FAIL else gate.value
        draft.failing_check = worst.check.id
        draft.message = worst.check.message
        kind = worst.check.id.partition(":")[0]
        draft.shape = worst.shape or reason_shape(kind, self._why(worst))

    def _why(self, worst: Judged) -> str:
        """What is the same in all cases that are red for one reason."""
        if worst.check.id.startswith(CheckKind.ASSERT):
            return f"{self.checks.view.section.benchmark} {worst.check.message.partition(': ')[0]}"
        return worst.check.message

    def _explain_waiting(self, draft: _Draft) -> None:
        waiting = self.result.suspension
        assert waiting is not None
        draft.gates = [Gate.SUSPENDED]
        draft.kind = waiting.name
        draft.message = f"waiting on {waiting.name}: {waiting.reason}"
        draft.shape = reason_shape("suspended", waiting.name)

    def _explain_error(self, draft: _Draft) -> None:
        error = self.result.error
        draft.gates = [Gate.COVERAGE]
        if error is not None:
            draft.failure_class, draft.kind = error.failure_class, error.kind
            draft.message = error.message
        else:
            check = next(one.check for one in self.judged if one.check.outcome is Outcome.ERROR)
            draft.failure_class, draft.kind = FailureClass.INFRASTRUCTURE, "unsettled"
            draft.failing_check, draft.message = check.id, check.message
        draft.shape = reason_shape("error", draft.failure_class, draft.kind)

    def _drift(self) -> str:
        """How the output moved since an earlier run, for a case without a baseline."""
        output = self.result.output
        if self.previous is None or output is None or self.previous[1] == output:
            return ""
        try:
            return compare(untagged(self.previous[1]), untagged(output)).delta
        except JsonError:
            return ""

    def _decide(self, draft: _Draft) -> None:
        """What decisions add: covering, badges, gates of their own."""
        policy = self.checks.context.policy
        draft.badges = badges_of(self.checks, self.judged, draft.outcome)
        named = [gate for gate, badge in BADGE_GATES if badge in draft.badges]
        failing = [gate for gate in named if policy.gates.get(gate, True)]
        if failing and draft.outcome is Outcome.PASS:
            draft.outcome, draft.kind = Outcome.REVIEW, failing[0].value
            draft.message = _WHY[failing[0]]
            draft.shape = reason_shape(failing[0])
        draft.gates += named
        draft.held = next((one.held for one in self.judged if one.held), None)
        if self.case is not None:
            self._decide_case(draft, self.case, bool(failing))

    def _decide_case(self, draft: _Draft, case: CaseChains, gated: bool) -> None:
        waiver = case.waiver.live if case.waiver is not None else None
        waivable = draft.outcome in (Outcome.FAIL, Outcome.ERROR) or Gate.REMOVED in draft.gates
        answer = answer_to(self.checks) if case.escalations else None
        if waiver is not None and (waivable or gated):
            draft.waived = draft.covered = True
            draft.held, draft.gates = waiver, []
        elif answer is not None:
            draft.covered = _answers(answer, draft.outcome)
            draft.held = answer
            if draft.outcome is Outcome.SUSPENDED:
                draft.message = f"answered by {answer.decision.reviewer}: run it on"
        else:
            closing = closing_act(self.checks)
            draft.settled = closing is not None
            draft.held = closing or self._resting()
        if case.has_conflict:
            draft.gates.append(Gate.CONFLICT)
            if draft.outcome is Outcome.PASS:
                draft.outcome, draft.kind = Outcome.REVIEW, Gate.CONFLICT.value
                draft.message = _CONFLICT
        if case.release is not None and case.release.live is not None:
            draft.gates.append(Gate.BLOCKED)
            draft.badges.append("blocked")
            draft.settled = True
            draft.held = case.release.live

    def _resting(self) -> Held | None:
        """The decision that the checks rest on: a widening first, else the one ending first."""
        held = [one.held for one in self.judged if one.held is not None]
        if len(held) < 2:
            return held[0] if held else None
        widened = [one for one in held if one.decision.action is Action.WIDEN_TOLERANCE]
        return min(widened or held, key=lambda one: one.signed_by.expires_at or "9999")

    def _finished(self, draft: _Draft) -> Judgement:
        today = self.checks.context.today
        held = draft.held
        if held is not None and held.expires is not None:
            warn = self.checks.context.policy.expiry.warn_days
            if 0 <= days_left(held.expires, today) <= warn:
                draft.badges.append("expiring")
        return Judgement(
            draft.outcome,
            tuple([one.check for one in self.judged]),
            tuple(dict.fromkeys(draft.gates)),
            draft.failure_class,
            draft.kind,
            draft.failing_check,
            draft.message,
            draft.change,
            draft.shape,
            draft.waived,
            draft.covered,
            draft.settled,
            "" if held is None else standing(held, today, red=_is_red(draft)),
            tuple(draft.badges),
            self._alone(),
        )


def _is_red(draft: _Draft) -> bool:
    return not draft.covered and draft.outcome is not Outcome.PASS


def _answers(held: Held, outcome: Outcome) -> bool:
    """Whether an escalation answer covers the case: it waits no more, or ended as denied."""
    if outcome is Outcome.SUSPENDED:
        return True
    return outcome is Outcome.FAIL and held.decision.action is Action.DENY_ESCALATION
