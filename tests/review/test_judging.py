"""What a case means in the light of its baseline, decisions and policy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaltui.engine.values import score
from evaltui.models import (
    Action,
    CaseError,
    CaseResult,
    CheckState,
    FailureClass,
    Gate,
    JudgeAttempt,
    Judgement,
    Outcome,
    Suspension,
)
from evaltui.project import Policy, RunPolicy, default_gates
from evaltui.review.compare import compare
from evaltui.review.judging import judge_case
from evaltui.review.removal import removed_cases
from evaltui.review.summary import summarise

if TYPE_CHECKING:
    from tests.review.conftest import Desk


def gates(desk: Desk, *checks: object) -> tuple[Outcome, tuple[Gate, ...]]:
    judgement = desk.judge(*checks)  # type: ignore[arg-type]
    return judgement.outcome, judgement.gates


def test_checks_alone_decide_a_case_without_snapshots(desk: Desk) -> None:
    assert gates(desk, desk.holds()) == (Outcome.PASS, ())
    assert gates(desk, desk.holds(), desk.breaks("assert#2")) == (Outcome.FAIL, (Gate.FAIL,))


def test_a_snapshot_without_a_baseline_is_new(desk: Desk) -> None:
    judgement = desk.judge(desk.snapshot("hello"))
    assert (judgement.outcome, judgement.gates) == (Outcome.REVIEW, (Gate.NEW,))
    assert judgement.change == "new"
    assert judgement.checks[0].acceptable


def test_a_baseline_nobody_signed_is_unreviewed_even_if_equal(desk: Desk) -> None:
    desk.baseline("k", "hello")
    assert gates(desk, desk.snapshot("hello")) == (Outcome.REVIEW, (Gate.UNREVIEWED,))


def test_an_accepted_equal_value_passes_and_names_its_decision(desk: Desk) -> None:
    desk.accept("hello", expires="2026-03-06")
    judgement = desk.judge(desk.snapshot("hello"))
    assert judgement.outcome is Outcome.PASS
    assert judgement.decision == "ana, 5d"
    assert judgement.badges == ("expiring",)
    assert judgement.checks[0].old_label == "accepted by ana until 2026-03-06"


def test_another_value_fails_with_its_likeness(desk: Desk) -> None:
    desk.accept("hello world")
    judgement = desk.judge(desk.snapshot("hello there"))
    assert (judgement.outcome, judgement.gates) == (Outcome.FAIL, (Gate.FAIL,))
    assert judgement.failure_class is FailureClass.SEMANTIC
    assert judgement.change.endswith("% alike")
    assert judgement.red


def test_int_and_float_of_one_number_differ_but_within_any_tolerance(desk: Desk) -> None:
    desk.accept({"n": 2})
    assert desk.judge(desk.snapshot({"n": 2.0})).outcome is Outcome.FAIL
    desk.policy = Policy(tolerance={"Replies": Decimal("0.1")})
    assert desk.judge(desk.snapshot({"n": 2.0})).outcome is Outcome.PASS


def test_a_baseline_changed_on_disk_is_unreviewed(desk: Desk) -> None:
    desk.accept("hello")
    desk.baseline("k", "hacked")
    assert gates(desk, desk.snapshot("hacked")) == (Outcome.REVIEW, (Gate.UNREVIEWED,))


def test_an_acceptance_counts_to_the_end_of_its_day(desk: Desk) -> None:
    desk.accept("hello", expires="2026-03-01")
    desk.now = desk.now.replace(hour=23, minute=59)
    assert desk.judge(desk.snapshot("hello")).outcome is Outcome.PASS
    desk.now += timedelta(minutes=1)
    judgement = desk.judge(desk.snapshot("hullo"))
    assert (judgement.outcome, judgement.gates) == (Outcome.REVIEW, (Gate.EXPIRED,))
    assert judgement.change == "80% alike"


def test_another_instrument_is_a_review_and_an_unknown_one_matches(desk: Desk) -> None:
    desk.accept("hello", instrument="[A]")
    known = desk.judge(desk.snapshot("hello"), instrument="[B]")
    assert (known.outcome, known.gates) == (Outcome.REVIEW, (Gate.INSTRUMENT,))
    assert known.failure_class is FailureClass.INSTRUMENT
    desk.accept("hello", case_id="two")
    unknown = desk.judge(desk.snapshot("hello"), instrument="[B]", case_id="two")
    assert unknown.outcome is Outcome.PASS


def test_two_branches_that_accepted_differently_are_a_conflict(desk: Desk) -> None:
    first = desk.accept("hello")
    desk.accept("left", parent=first.id)
    desk.accept("right", parent=first.id)
    assert gates(desk, desk.snapshot("right")) == (Outcome.REVIEW, (Gate.CONFLICT,))


def test_a_policy_tolerance_lets_numbers_move_but_nothing_else(desk: Desk) -> None:
    desk.policy = Policy(tolerance={"Replies/snapshot": Decimal("0.05")})
    desk.accept({"score": 0.7, "why": "ok"})
    inside = desk.judge(desk.snapshot({"score": 0.75, "why": "ok"}))
    assert inside.outcome is Outcome.PASS
    assert (inside.badges, inside.change) == (("tolerated",), "+0.05")
    assert inside.without_decisions is None
    assert desk.judge(desk.snapshot({"score": 0.7501, "why": "ok"})).outcome is Outcome.FAIL
    assert desk.judge(desk.snapshot({"score": 0.7, "why": "no"})).outcome is Outcome.FAIL


def test_a_widening_shows_both_results_and_ends_on_its_day(desk: Desk) -> None:
    desk.accept(0.7)
    desk.widen("0.1", case_id="one", check="snapshot:k", expires="2026-03-02")
    judgement = desk.judge(desk.snapshot(0.8))
    assert (judgement.outcome, judgement.without_decisions) == (Outcome.PASS, Outcome.FAIL)
    assert (judgement.checks[0].tolerance, judgement.checks[0].policy_tolerance) == ("0.1", "0")
    assert judgement.decision == "widened ana, 1d"
    desk.now += timedelta(days=2)
    assert desk.judge(desk.snapshot(0.8)).outcome is Outcome.FAIL


def test_a_slice_is_widened_for_its_cases_only(desk: Desk) -> None:
    desk.accept(0.7)
    desk.widen("0.1", case_id=None, slice="lang=fr")
    result = CaseResult(0, (desk.snapshot(0.8),))
    french = judge_case(desk.spec(slices=("lang=fr",)), result, desk.context())
    german = judge_case(desk.spec(slices=("lang=de",)), result, desk.context())
    assert (french.outcome, german.outcome) == (Outcome.PASS, Outcome.FAIL)


def test_an_accepted_score_that_moved_is_drift(desk: Desk) -> None:
    desk.policy = Policy(tolerance={"Replies/expect#1": Decimal("0.05")})
    assert desk.judge(desk.expect(0.8)).outcome is Outcome.PASS
    desk.accept(score(0.8), check="expect#1")
    assert desk.judge(desk.expect(0.85)).badges == ("tolerated",)
    drifted = desk.judge(desk.expect(0.86))
    assert (drifted.outcome, drifted.gates) == (Outcome.REVIEW, (Gate.DRIFT,))
    assert drifted.change == "+0.06"


def test_tolerance_never_rescues_a_failed_check(desk: Desk) -> None:
    desk.policy = Policy(tolerance={"Replies": Decimal(1)})
    desk.accept(score(0.8), check="expect#1")
    failed = desk.expect(
        0.79, state=CheckState.FAIL, message="score 0.79 did not meet threshold 0.8"
    )
    assert desk.judge(failed).outcome is Outcome.FAIL


def test_precedence_and_the_partial_badge(desk: Desk) -> None:
    error = CaseError(FailureClass.INFRASTRUCTURE, "timeout", "took too long")
    waiting = Suspension("boss", "look", "{}", "d", 0)
    partial = desk.judge(desk.breaks(), error=error)
    assert (partial.outcome, partial.badges) == (Outcome.FAIL, ("partial",))
    bare = desk.judge(desk.snapshot("new"), error=error)
    assert (bare.outcome, bare.gates) == (Outcome.ERROR, (Gate.COVERAGE,))
    assert (bare.failure_class, bare.kind) == (FailureClass.INFRASTRUCTURE, "timeout")
    suspended = desk.judge(desk.breaks(), error=error, suspension=waiting)
    assert suspended.outcome is Outcome.SUSPENDED


def test_a_waiver_keeps_the_outcome_and_fails_no_gate(desk: Desk) -> None:
    desk.waive()
    failed = desk.judge(desk.breaks())
    assert (failed.outcome, failed.gates, failed.waived, failed.red) == (
        Outcome.FAIL,
        (),
        True,
        False,
    )
    assert not desk.judge(desk.holds()).waived
    assert not desk.judge(desk.snapshot("new")).waived


def test_a_judge_that_passed_late_is_badged_and_gated_on_request(desk: Desk) -> None:
    attempts = (JudgeAttempt(0, 'Fail("no")', False), JudgeAttempt(1, "Pass", True))
    late = replace(desk.expect(1.0), value=None, attempts=attempts)
    judgement = desk.judge(late)
    assert (judgement.outcome, judgement.badges) == (Outcome.PASS, ("unstable",))
    assert judgement.gates == (Gate.UNSTABLE,)
    desk.policy = Policy(gates={**default_gates(), Gate.UNSTABLE: True})
    assert desk.judge(late).outcome is Outcome.REVIEW


def test_the_same_id_with_another_row_is_revised(desk: Desk) -> None:
    desk.accept("hello", row_digest="another row")
    judgement = desk.judge(desk.snapshot("hello"))
    assert (judgement.outcome, judgement.badges) == (Outcome.PASS, ("revised",))
    assert judgement.gates == (Gate.REVISED,)


def test_near_needs_a_band_and_its_edge_is_inside(desk: Desk) -> None:
    assert desk.judge(desk.expect(0.75, threshold="0.8")).badges == ()
    desk.policy = Policy(run=RunPolicy(near_band=Decimal("0.05")))
    assert desk.judge(desk.expect(0.75, threshold="0.8")).badges == ("near",)
    assert desk.judge(desk.expect(0.74, threshold="0.8")).badges == ()


def test_a_denied_case_fails_and_is_covered_by_the_denial(desk: Desk) -> None:
    about = desk.target(escalation="boss", arguments_digest="d", occurrence=0)
    desk.decide(Action.DENY_ESCALATION, [about], scope="until", how="deny_stop")
    judgement = desk.judge(denied="denied by boss: no")
    assert (judgement.outcome, judgement.gates) == (Outcome.FAIL, (Gate.FAIL,))
    assert (judgement.message, judgement.red) == ("denied by boss: no", False)


def test_answers_for_once_count_in_their_run_only(desk: Desk) -> None:
    about = desk.target(escalation="boss", arguments_digest="d", occurrence=0, value="{}")
    desk.decide(Action.APPROVE_ESCALATION, [about], scope="once", run_id="run-1")
    context = desk.context()
    key = (desk.section, "one", "boss", "d", 0)
    assert context.answer(*key, "run-1") is not None
    assert context.answer(*key, "run-2") is None
    desk.decide(
        Action.APPROVE_ESCALATION, [about], scope="until", expires_at="2026-03-01", run_id="run-1"
    )
    assert desk.context().answer(*key, "run-2") is not None
    desk.now += timedelta(days=1)
    assert desk.context().answer(*key, "run-2") is None


def test_a_case_that_decisions_name_and_the_suite_lost_is_removed(desk: Desk) -> None:
    desk.accept("hello", case_id="gone")
    ((row, result, judgement),) = removed_cases(desk.context(), [desk.spec("one")])
    assert (row.index, row.case_id, judgement.outcome) == (1, "gone", Outcome.REVIEW)
    assert judgement.gates == (Gate.REMOVED,)
    assert summarise(row, result, judgement).removed
    desk.waive("gone")
    ((row, result, judgement),) = removed_cases(desk.context(), [desk.spec("one")])
    assert (judgement.waived, judgement.gates) == (True, ())
    assert summarise(row, result, judgement).removed


def test_an_expired_decision_no_longer_names_its_case(desk: Desk) -> None:
    desk.accept("hello", case_id="gone", expires="2026-03-01")
    desk.now += timedelta(days=1)
    assert removed_cases(desk.context(), []) == []


def test_block_release_gates_a_passing_case_until_reverted(desk: Desk) -> None:
    block = desk.decide(Action.BLOCK_RELEASE, [desk.target()])
    judgement = desk.judge(desk.holds())
    assert (judgement.outcome, judgement.gates) == (Outcome.PASS, (Gate.BLOCKED,))
    desk.revert(block)
    assert desk.judge(desk.holds()).gates == ()


def test_a_retry_is_named_but_the_case_stays_red(desk: Desk) -> None:
    desk.decide(Action.RETRY_INFRASTRUCTURE, [desk.target()], run_id="r")
    error = CaseError(FailureClass.INFRASTRUCTURE, "timeout", "slow")
    judgement = judge_case(desk.spec(), CaseResult(0, error=error), desk.context("r"))
    assert (judgement.decision, judgement.red) == ("retry ana", True)
    assert judge_case(desk.spec(), CaseResult(0, error=error), desk.context("s")).decision == ""


def test_drift_of_a_case_without_baseline_is_shown_not_gated(desk: Desk) -> None:
    result = CaseResult(0, (desk.holds(),), output='{"kind":"Int","value":3}')
    old = ("r1", '{"kind":"Int","value":1}')
    judgement = judge_case(desk.spec(), result, desk.context(), old)
    assert (judgement.outcome, judgement.change, judgement.gates) == (Outcome.PASS, "+2", ())


def test_equal_changes_have_one_shape_and_others_another(desk: Desk) -> None:
    shapes = {}
    for case, (old, new) in {
        "a": ("Dear Ann, order 1234 ships Monday", "Hi Ann, order 1234 ships Monday"),
        "b": ("Dear Bob, order 99 ships Friday", "Hi Bob, order 99 ships Friday"),
        "c": ("Dear Cy, order 7 ships Sunday", "Dear Cy, order 7 ships never"),
    }.items():
        desk.accept(old, case_id=case, key=case)
        shapes[case] = desk.judge(desk.snapshot(new, case), case_id=case).shape
    assert shapes["a"] == shapes["b"] != shapes["c"]


@given(st.decimals(-100, 100, places=3), st.decimals(0, 10, places=3))
def test_the_edge_of_a_tolerance_is_inside(start: Decimal, tolerance: Decimal) -> None:
    change = compare(float(start), float(start + tolerance))
    assert change.within(tolerance)
    beyond = compare(float(start), float(start + tolerance + Decimal("0.001")))
    assert not beyond.within(tolerance)


@pytest.mark.parametrize(
    ("old", "new", "delta"),
    [
        (0.5, 0.53, "+0.03"),
        (3, 1, "-2"),
        ({"a": 1.0, "b": 2.0}, {"a": 1.5, "b": 1.0}, "-1 at most, 2 numbers"),
        ({"a": 1, "b": "x"}, {"a": 2, "c": "x"}, "1 changed, 1 added, 1 removed"),
        ("text", 3, "Text to Int"),
        ([1, 2], [1], "1 removed"),
    ],
)
def test_a_change_is_told_in_few_words(old: object, new: object, delta: str) -> None:
    assert compare(old, new).delta == delta  # type: ignore[arg-type]


def test_records_of_a_list_can_be_matched_by_a_field() -> None:
    old = [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    new = [{"id": "b", "n": 3}, {"id": "a", "n": 1}]
    assert compare(old, new, "id").delta == "+1"  # type: ignore[arg-type]
    assert len(compare(old, new).differences) == 4  # type: ignore[arg-type]


def row(desk: Desk, judgement: Judgement) -> tuple[str, str]:
    """What the table says in its columns change and decision."""
    summary = summarise(desk.spec(), CaseResult(0), judgement)
    return summary.change, summary.decision


def test_the_row_says_in_a_word_why_a_case_is_red(desk: Desk) -> None:
    assert row(desk, desk.judge(desk.snapshot("hello"))) == ("new", "")
    desk.baseline("k", "hello")
    assert row(desk, desk.judge(desk.snapshot("hello"))) == ("unsigned", "")
    assert row(desk, desk.judge(desk.snapshot("bye")))[0].startswith("unsigned, ")
    desk.accept("hello", instrument="[A]")
    assert row(desk, desk.judge(desk.snapshot("hello"))) == ("", "ana, 92d")
    other = desk.judge(desk.snapshot("hello"), instrument="[B]")
    assert row(desk, other) == ("other instrument", "old: ana, 92d")
    moved = row(desk, desk.judge(desk.snapshot("bye")))
    assert "alike" in moved[0]
    assert moved[1] == "old: ana, 92d"
    late = CaseError(FailureClass.INFRASTRUCTURE, "timeout", "took too long")
    assert row(desk, desk.judge(error=late)) == ("timeout", "")
    desk.now = datetime(2026, 6, 2, tzinfo=UTC)
    assert row(desk, desk.judge(desk.snapshot("hello"))) == ("expired", "expired 2026-06-01")


def test_a_waived_row_says_until_when(desk: Desk) -> None:
    desk.waive(expires="2026-03-15")
    assert row(desk, desk.judge(desk.breaks()))[1] == "waived ana, 14d"
