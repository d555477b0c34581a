"""Gates and exit codes by the rows of a run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from evaltui.errors import ExitCode
from evaltui.models import CaseSummary, FailureClass, Gate, Mode, Outcome, RunInfo
from evaltui.project import Policy, RunPolicy, default_gates
from evaltui.review.gates import evaluate_gates, exit_code_of
from evaltui.review.tally import Tally

RUN = RunInfo("r", "r1", "2026-03-01", Mode.LIVE, "", "", (), (), "/", state="finished")


def row(outcome: Outcome, *gates: Gate, **more: object) -> CaseSummary:
    bare = CaseSummary(0, 0, "one", outcome, gates=gates)
    return replace(bare, **more)


PASS = row(Outcome.PASS)
ERROR = row(Outcome.ERROR, Gate.COVERAGE)


def code(*rows: CaseSummary, policy: Policy | None = None, incomplete: str | None = None) -> int:
    return evaluate_gates(RUN, rows, policy or Policy(), incomplete).exit_code


@pytest.mark.parametrize("gate", sorted(set(Gate) - {Gate.COVERAGE}))
def test_each_gate_fails_or_reports_as_the_policy_says(gate: Gate) -> None:
    touched = row(Outcome.REVIEW, gate)
    reports = gate in (Gate.UNSTABLE, Gate.REVISED, Gate.NEAR)
    assert code(PASS, touched) == (ExitCode.OK if reports else ExitCode.GATE_FAILED)
    for fails in (True, False):
        policy = Policy(gates={**default_gates(), gate: fails})
        assert code(PASS, touched, policy=policy) == int(fails)


def test_no_result_is_incomplete_beyond_the_budget() -> None:
    assert code(PASS, ERROR) is ExitCode.INCOMPLETE
    allowed = Policy(run=RunPolicy(max_no_result=1))
    assert code(PASS, ERROR, policy=allowed) is ExitCode.OK
    assert code(PASS, ERROR, ERROR, policy=allowed) is ExitCode.INCOMPLETE
    waived = row(Outcome.ERROR, waived=True)
    assert code(PASS, waived) is ExitCode.OK


def test_a_refused_key_is_incomplete_whatever_the_budget() -> None:
    refused = row(
        Outcome.ERROR, Gate.COVERAGE, failure_class=FailureClass.INFRASTRUCTURE, kind="auth"
    )
    budget = Policy(run=RunPolicy(max_no_result=10))
    report = evaluate_gates(RUN, [PASS, refused], budget)
    assert (report.exit_code, report.incomplete) == (
        ExitCode.INCOMPLETE,
        "a provider refused the key",
    )


def test_nothing_answered_interrupted_or_not_run_is_incomplete() -> None:
    budget = Policy(run=RunPolicy(max_no_result=10))
    assert code(ERROR, ERROR, policy=budget) is ExitCode.INCOMPLETE
    assert code(PASS, row(Outcome.SKIPPED)) is ExitCode.INCOMPLETE
    assert code(PASS, incomplete="the ceiling of 5 calls was reached") is ExitCode.INCOMPLETE
    stopped = evaluate_gates(replace(RUN, state="interrupted"), [PASS], Policy())
    assert stopped.exit_code is ExitCode.INCOMPLETE
    assert code() is ExitCode.OK


def test_incomplete_goes_before_a_failed_gate_and_both_are_listed() -> None:
    report = evaluate_gates(RUN, [row(Outcome.FAIL, Gate.FAIL), ERROR], Policy())
    assert report.exit_code is ExitCode.INCOMPLETE
    assert report.lines == (
        "incomplete: 1 without a result, 0 allowed",
        "gate fail: 1 case failed a check",
    )


def test_exit_codes_have_one_order() -> None:
    codes = {ExitCode.GATE_FAILED, ExitCode.INCOMPLETE, ExitCode.USAGE, ExitCode.INTERNAL}
    order = []
    while codes:
        order.append(exit_code_of(codes))
        codes.discard(order[-1])
    assert order == [4, 2, 3, 1]
    assert exit_code_of(set()) is ExitCode.OK


def test_a_tally_forgets_what_a_row_was() -> None:
    tally = Tally()
    red = row(Outcome.FAIL, Gate.FAIL, red=True, calls=2, tokens=10)
    tally.add(red)
    tally.add(PASS)
    assert tally.totals().pass_rate == "50.0% (1 of 2)"
    tally.add(red, -1)
    tally.add(row(Outcome.PASS, calls=2, tokens=10))
    totals = tally.totals()
    assert (totals.red, totals.counts[Outcome.PASS], totals.calls) == (0, 2, 2)
    assert totals.pass_rate == "100.0% (2 of 2)"
