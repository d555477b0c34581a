"""A run with a case of every sort, and golden files to compare reports with."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.models import (
    CaseError,
    CaseResult,
    CaseSpec,
    CaseSummary,
    CheckJudgement,
    CheckKind,
    CheckResult,
    CheckState,
    FailureClass,
    Gate,
    JudgeAttempt,
    Judgement,
    Mode,
    Outcome,
    RunInfo,
    Section,
    Suspension,
)
from evaltui.reports import report
from evaltui.reports.view import ReportedCase, RunView
from evaltui.review.gates import GateCount

GOLDEN = Path(__file__).parents[2] / "snapshots" / "reports"
HOSTILE = "\x1b[31mred\x1b[0m [/b] <b>&amp;\x00 | `x` @all \u202egpj.exe \u0001\ufffe]]>"


def _section(number: int, benchmark: str, cases: int) -> Section:
    return Section(number, "ulexite", "desk.ulx", "/p", benchmark, "5" * 64, "d" * 64, cases)


def _case(
    summary: CaseSummary, judgement: Judgement | None = None, result: CaseResult | None = None
) -> ReportedCase:
    return ReportedCase(
        summary,
        CaseSpec(summary.index, summary.section, summary.case_id, "r" * 64, "{}", summary.slices),
        result or CaseResult(summary.index),
        judgement or Judgement(summary.outcome),
    )


def _cases() -> list[ReportedCase]:
    passed = CaseSummary(
        0, 0, "en-hello", Outcome.PASS, ("lang=en",), latency_ms=12.5, calls=2, cache_hits=1,
        tokens=30, cost=Decimal("0.0012"),
    )  # fmt: skip
    tolerated = replace(
        passed, index=1, case_id="en-score", change="+0.04", decision="widened ana, 9d",
        badges=("tolerated",),
    )  # fmt: skip
    failed = replace(
        passed, index=2, case_id="hostile " + HOSTILE, outcome=Outcome.FAIL, check="expect#1",
        failure_class=FailureClass.SEMANTIC, message=HOSTILE, red=True, gates=(Gate.FAIL,),
        attempts=3,
    )  # fmt: skip
    waived = replace(
        failed, index=3, case_id="waived", red=False, waived=True, gates=(), message="too long",
        decision="waived ana, 30d",
    )  # fmt: skip
    new = replace(
        passed, index=4, section=1, case_id="fr-nouveau", outcome=Outcome.REVIEW, change="new",
        check="snapshot:fr", message="snapshot `fr`: no baseline yet", red=True, gates=(Gate.NEW,),
        slices=("lang=fr",),
    )  # fmt: skip
    broken = replace(
        passed, index=5, section=1, case_id="日本語", outcome=Outcome.ERROR, kind="timeout",
        failure_class=FailureClass.INFRASTRUCTURE, message="no answer came", red=True,
        gates=(Gate.COVERAGE,), cost=None,
    )  # fmt: skip
    waiting = replace(
        passed, index=6, section=1, case_id="clock", outcome=Outcome.SUSPENDED, kind="boss",
        message="waiting on boss: too dear", red=True, gates=(Gate.SUSPENDED,),
    )  # fmt: skip
    late = replace(
        passed, index=7, section=1, case_id="late", badges=("unstable",), gates=(Gate.UNSTABLE,)
    )
    skipped = replace(
        passed, index=8, section=1, case_id="later", outcome=Outcome.SKIPPED, message="not run",
        calls=0, cache_hits=0, tokens=0, cost=None,
    )  # fmt: skip
    attempts = tuple(JudgeAttempt(n, 'Fail("no")', False) for n in range(3))
    return [
        _case(passed),
        _case(tolerated),
        _case(
            failed,
            Judgement(
                Outcome.FAIL, (CheckJudgement("expect#1", Outcome.FAIL, HOSTILE, Gate.FAIL),)
            ),
            CaseResult(
                2,
                (
                    CheckResult(
                        "expect#1",
                        CheckKind.EXPECT,
                        CheckState.FAIL,
                        HOSTILE,
                        verdict='Fail("no")',
                        attempts=attempts,
                    ),
                ),
                output='{"kind":"Text","value":"\\u001b[31m"}',
            ),
        ),
        _case(waived),
        _case(
            new,
            Judgement(
                Outcome.REVIEW,
                (CheckJudgement("snapshot:fr", Outcome.REVIEW, "no baseline yet", Gate.NEW),),
            ),
            CaseResult(
                4,
                (
                    CheckResult(
                        "snapshot:fr",
                        CheckKind.SNAPSHOT,
                        CheckState.COMPARED,
                        value='{"kind":"Int","value":3}',
                        key="fr",
                    ),
                ),
            ),
        ),
        _case(
            broken,
            result=CaseResult(
                5,
                error=CaseError(
                    FailureClass.INFRASTRUCTURE, "timeout", "no answer came", "run it again"
                ),
            ),
        ),
        _case(
            waiting,
            result=CaseResult(6, suspension=Suspension("boss", "too dear", "{}", "a" * 64, 0)),
        ),
        _case(late),
        _case(skipped),
    ]


@pytest.fixture
def view() -> RunView:
    """Two benchmarks, nine cases, four failing gates."""
    cases = _cases()
    run = RunInfo(
        id="9f0c2a7be1d34455",
        label="r12",
        started_at="2026-03-01T12:00:00.000000Z",
        mode=Mode.LIVE,
        instrument="Writer (openai gpt-4o-mini)",
        policy_digest="c0ffee" + "0" * 58,
        sections=(_section(0, "Replies", 4), _section(1, "Tickets", 5)),
        arguments=("run", "desk.ulx", "--ci"),
        project_root="/p",
        clock="2026-03-01",
        state="finished",
        finished_at="2026-03-01T12:01:00.000000Z",
        problems=("desk.ulx:4:2: " + HOSTILE,),
    )
    return RunView(
        run,
        [case.summary for case in cases],
        exit_code=3,
        gates=(
            GateCount(Gate.FAIL, 1, True),
            GateCount(Gate.NEW, 1, True),
            GateCount(Gate.SUSPENDED, 1, True),
            GateCount(Gate.COVERAGE, 1, True),
            GateCount(Gate.UNSTABLE, 1, False),
        ),
        gate_lines=(
            "incomplete: 1 without a result, 0 allowed",
            "gate fail: 1 case failed a check",
            "gate new: 1 case has no baseline yet",
            "gate suspended: 1 case waits for a person",
        ),
        incomplete="1 without a result, 0 allowed",
        by_policy={1: Outcome.REVIEW},
        details=lambda: iter(cases),
    )


@pytest.fixture
def written() -> Callable[[str, RunView], str]:
    """Writes a report into a text."""

    def write(name: str, view: RunView) -> str:
        out = io.StringIO()
        report(name)(view, out)
        return out.getvalue()

    return write


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compares a text with its golden file; ``EVALTUI_GOLDEN=write`` writes it anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("EVALTUI_GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
