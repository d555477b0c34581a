"""The run as one JSON document, ``evaltui.report/1``.

The text is ASCII: values arrive exactly as they were, and nothing in it can act on a terminal.
Messages are safe text. Values are tagged JSON (runtime specification 1.4); money is a decimal in a
string; latencies are milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from evaltui.models import CaseResult, CheckJudgement, CheckResult, RunInfo
from evaltui.reports.scope import not_answered
from evaltui.reports.view import (
    ReportedCase,
    RunView,
    next_action,
    pass_rate,
    policy_pass_rate,
    totals,
)
from evaltui.text import safe

SCHEMA = "evaltui.report/1"
Object = dict[str, Any]


def write(view: RunView, out: TextIO) -> None:
    """Write the document, one case after the other, so that a large run needs little memory."""
    head = json.dumps({"schema": SCHEMA, **run_object(view), **findings_object(view)}, indent=2)
    out.write(head.removesuffix("\n}"))
    out.write(',\n  "cases": [')
    comma = ""
    for case in view.cases():
        out.write(f"{comma}\n    {json.dumps(case_object(view, case))}")
        comma = ","
    out.write("\n  ]\n}\n")


def run_object(view: RunView) -> Object:
    """The scope: what was measured, with what, under which rules."""
    run = view.run
    return {
        "run": {
            "id": run.id,
            "label": run.label,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "state": run.state,
            "arguments": [safe(text) for text in run.arguments],
            **_origin(run),
        },
        "scope": {
            "suites": [_section(view, number) for number in range(len(run.sections))],
            "instrument": safe(run.instrument),
            "mode": str(run.mode),
            "policy_digest": run.policy_digest,
            "clock": run.clock,
            "filtered": run.filtered,
            "not_answered": safe(not_answered(view)),
        },
    }


def _origin(run: RunInfo) -> Object:
    imported: Object = {"imported": safe(run.imported)} if run.imported else {}
    return {
        "parent": run.parent,
        "replay_of": run.replay_of,
        "commit": run.commit,
        **imported,
    }


def _section(view: RunView, number: int) -> Object:
    section = view.run.sections[number]
    return {
        "suite": section.suite,
        "kind": section.kind,
        "benchmark": section.benchmark,
        "cases": section.cases,
        "suite_digest": section.suite_digest,
        "dataset_digest": section.dataset_digest,
    }


def findings_object(view: RunView) -> Object:
    """Counts, pass rate, gates and exit code."""
    total = totals(view.summaries)
    return {
        "totals": {
            **{str(outcome): count for outcome, count in total.counts.items()},
            "total": total.total,
            "waived": total.waived,
            "red": total.red,
            "answered": total.answered,
            "pass_rate": pass_rate(total.passed, total.answered),
            "pass_rate_by_policy": policy_pass_rate(view),
            "calls": total.calls,
            "cache_hits": total.cache_hits,
            "tokens": total.tokens,
            "cost_usd": None if total.cost is None else str(total.cost),
        },
        "gates": [
            {"gate": str(one.gate), "cases": one.count, "fails": one.fails} for one in view.gates
        ],
        "gate_notes": [safe(line) for line in view.gate_lines],
        "incomplete": None if view.incomplete is None else safe(view.incomplete),
        "problems": [safe(text) for text in view.run.problems],
        "exit_code": int(view.exit_code),
    }


def case_object(view: RunView, case: ReportedCase) -> Object:
    """One case with its checks and calls, as far as they can be read."""
    row, section = case.summary, view.section(case.summary.section)
    data: Object = {
        "index": row.index,
        "suite": section.suite if section else None,
        "benchmark": section.benchmark if section else None,
        "case_id": row.case_id,
        "outcome": str(row.outcome),
        "outcome_by_policy": str(view.by_policy.get(row.index, row.outcome)),
        "class": None if row.failure_class is None else str(row.failure_class),
        "kind": row.kind or None,
        "slices": list(row.slices),
        "check": row.check or None,
        "change": safe(row.change) or None,
        "message": safe(row.message) or None,
        "gates": [str(gate) for gate in row.gates],
        "badges": list(row.badges),
        "red": row.red,
        "waived": row.waived,
        "removed": row.removed,
        "decision": safe(row.decision) or None,
        "calls": row.calls,
        "cache_hits": row.cache_hits,
        "tokens": row.tokens,
        "cost_usd": None if row.cost is None else str(row.cost),
        "latency_ms": round(row.latency_ms, 3),
    }
    if row.red:
        data["next"] = safe(next_action(case, row.case_id))
    if case.result is not None:
        data |= _result_object(case.result)
    if case.judgement is not None:
        results = {check.id: check for check in case.result.checks} if case.result else {}
        data["checks"] = _checks(case.judgement.checks, results)
    return data


def _result_object(result: CaseResult) -> Object:
    error, waiting = result.error, result.suspension
    return {
        "mode": str(result.mode),
        "instrument": _value(result.instrument),
        "output": _value(result.output),
        "error": None
        if error is None
        else {
            "class": str(error.failure_class),
            "kind": error.kind,
            "message": safe(error.message),
            "next": safe(error.next_action),
        },
        "waiting_for": None
        if waiting is None
        else {"name": waiting.name, "reason": safe(waiting.reason), "arguments": waiting.arguments},
        "denied": None if result.denied is None else safe(result.denied),
    }


def _checks(judged: Iterable[CheckJudgement], results: dict[str, CheckResult]) -> list[Object]:
    return [_check(judgement, results.get(judgement.id)) for judgement in judged]


def _check(judgement: CheckJudgement, result: CheckResult | None) -> Object:
    return {
        "id": judgement.id,
        "outcome": str(judgement.outcome),
        "message": safe(judgement.message),
        "gate": None if judgement.gate is None else str(judgement.gate),
        "old": _value(judgement.old),
        "old_from": safe(judgement.old_label) or None,
        "new": _value(result.value) if result else None,
        "change": safe(judgement.delta) or None,
        "tolerance": judgement.tolerance,
        "tolerance_by_policy": judgement.policy_tolerance,
        "decision": judgement.decision,
        "verdict": safe(result.verdict) if result and result.verdict else None,
        "attempts": [safe(attempt.verdict) for attempt in result.attempts] if result else [],
    }


def _value(text: str | None) -> object:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
