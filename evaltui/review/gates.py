"""What a run comes to: gates, coverage and the exit code (design section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from evaltui.errors import ExitCode
from evaltui.models import CaseSummary, FailureClass, Gate, Outcome, RunInfo
from evaltui.project import Policy

_PRECEDENCE = (ExitCode.INTERNAL, ExitCode.USAGE, ExitCode.INCOMPLETE, ExitCode.GATE_FAILED)
_WORDS = {
    Gate.FAIL: "failed a check",
    Gate.DRIFT: "moved beyond the tolerance of an accepted score",
    Gate.NEW: "have no baseline yet",
    Gate.EXPIRED: "rest on an acceptance that expired",
    Gate.UNREVIEWED: "have a baseline that nobody signed",
    Gate.CONFLICT: "were decided differently in two places",
    Gate.INSTRUMENT: "were measured by another instrument than their baseline",
    Gate.SUSPENDED: "wait for a person",
    Gate.REMOVED: "are named by decisions but gone from the suite",
    Gate.BLOCKED: "block the release",
    Gate.COVERAGE: "have no result",
    Gate.UNSTABLE: "passed only at a later attempt of a judge",
    Gate.REVISED: "have another row than the one decided about",
    Gate.NEAR: "lie near a threshold",
}


class GateCount(Struct, frozen=True):
    """A gate that cases touched, how many, and whether that fails the run."""

    gate: Gate
    count: int
    fails: bool


class GateReport(Struct, frozen=True):
    """What a run comes to."""

    exit_code: ExitCode
    gates: tuple[GateCount, ...]
    """Gates that at least one case touched, in the order of ``Gate``."""
    lines: tuple[str, ...]
    """One for each failing gate and each reason for incompleteness, worst exit code first."""
    incomplete: str | None = None
    """Why there is too little to say, when there is."""


def evaluate_gates(
    run: RunInfo,
    summaries: Sequence[CaseSummary],
    policy: Policy,
    incomplete: str | None = None,
) -> GateReport:
    """Judge a run by its rows.

    Args:
        run: The run; an interrupted one is incomplete.
        summaries: One row per case, removed cases included.
        policy: Which gates fail, and how many cases may lack a result.
        incomplete: Why the runner gave up early, if it did.
    """
    touched = Counter(gate for row in summaries for gate in row.gates)
    gates = tuple(
        GateCount(gate, touched[gate], _fails(gate, touched[gate], policy))
        for gate in Gate
        if touched[gate]
    )
    reasons = _reasons(run, summaries, policy, incomplete)
    failing = [one for one in gates if one.fails and one.gate is not Gate.COVERAGE]
    codes = {ExitCode.INCOMPLETE} if reasons else set()
    codes |= {ExitCode.GATE_FAILED} if failing else set()
    return GateReport(
        exit_code_of(codes),
        gates,
        (*(f"incomplete: {reason}" for reason in reasons), *map(_line, failing)),
        "; ".join(reasons) or None,
    )


def exit_code_of(codes: set[ExitCode]) -> ExitCode:
    """The one code to answer when several apply: 4, 2, 3, 1 in that order."""
    return next((code for code in _PRECEDENCE if code in codes), ExitCode.OK)


def _fails(gate: Gate, count: int, policy: Policy) -> bool:
    if gate is Gate.COVERAGE and count <= policy.run.max_no_result:
        return False
    return policy.gates.get(gate, True)


def _line(one: GateCount) -> str:
    noun = "case" if one.count == 1 else "cases"
    return f"gate {one.gate}: {one.count} {noun} {_singular(_WORDS[one.gate], one.count)}"


def _singular(words: str, count: int) -> str:
    if count != 1:
        return words
    first, _, rest = words.partition(" ")
    verbs = {"have": "has", "are": "is", "were": "was", "lie": "lies", "wait": "waits"}
    verbs |= {"rest": "rests", "block": "blocks"}
    return f"{verbs.get(first, first)} {rest}"


def _reasons(
    run: RunInfo, summaries: Sequence[CaseSummary], policy: Policy, incomplete: str | None
) -> list[str]:
    reasons = [incomplete] if incomplete else []
    if run.state == "interrupted" and not incomplete:
        reasons.append("interrupted")
    unanswered = [row for row in summaries if Gate.COVERAGE in row.gates]
    missing = sum(row.outcome is Outcome.SKIPPED for row in summaries)
    if missing and not incomplete:
        reasons.append(f"{missing} of {len(summaries)} cases were not run")
    if policy.gates.get(Gate.COVERAGE, True) and len(unanswered) > policy.run.max_no_result:
        allowed = policy.run.max_no_result
        reasons.append(f"{len(unanswered)} without a result, {allowed} allowed")
    if any(_is_authentication(row) for row in unanswered):
        reasons.append("a provider refused the key")
    if summaries and all(_is_silent(row) for row in summaries):
        reasons.append("nothing was answered")
    return reasons


def _is_authentication(row: CaseSummary) -> bool:
    return row.failure_class is FailureClass.INFRASTRUCTURE and row.kind == "auth"


def _is_silent(row: CaseSummary) -> bool:
    return row.outcome in (Outcome.ERROR, Outcome.SKIPPED) and not row.waived
