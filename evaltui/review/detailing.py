"""Puts together everything a person sees of one case."""

from __future__ import annotations

import json

from evaltui.models import (
    CaseSpec,
    CaseSummary,
    CheckJudgement,
    CheckKind,
    CheckResult,
    Decision,
    Judgement,
)
from evaltui.review.bench import PlannedCase
from evaltui.review.chain_index import CaseChains
from evaltui.review.detail import CaseDetail, CheckPair
from evaltui.review.links import Link
from evaltui.review.wording import done


def detail_of(
    case: PlannedCase, summary: CaseSummary, previous: tuple[str, str] | None
) -> CaseDetail:
    """A case for a person who has to decide on it.

    Args:
        case: The case as it stands.
        summary: Its row.
        previous: Label of an earlier run and the case's output there, if there is one.
    """
    result, judgement = case.result, case.judgement
    return CaseDetail(
        spec=case.spec,
        section=case.section,
        summary=summary,
        inputs=inputs_of(case.spec),
        pairs=_pairs(case, judgement),
        calls=result.calls,
        mode=result.mode,
        output=result.output,
        previous_output=previous[1] if previous else None,
        previous_label=f"run {previous[0]}, not accepted" if previous else "",
        instrument_old=_old_instrument(judgement),
        instrument_new=result.instrument,
        suspension=result.suspension,
        error=result.error,
        denied=result.denied,
        skipped=result.skipped,
        history=history_of(case),
    )


def inputs_of(spec: CaseSpec) -> tuple[tuple[str, str], ...]:
    """(column, text) pairs of a row; a row that is no object is one column called ``$``."""
    try:
        row = json.loads(spec.row)
    except ValueError:
        return (("$", spec.row),)
    if isinstance(row, dict):
        return tuple((str(name), _text(value)) for name, value in row.items())
    return () if row is None else (("$", _text(row)),)


def history_of(case: PlannedCase) -> tuple[str, ...]:
    """One line a decision that names the case, the newest first."""
    decisions: dict[str, Decision] = {}
    for link in _links(case):
        decisions[link.decision.id] = link.decision
    ordered = sorted(decisions.values(), key=lambda one: one.created_at, reverse=True)
    return tuple(_line(one) for one in ordered)


def _links(case: PlannedCase) -> list[Link]:
    chains, section = case.folder.chains, case.section
    return [
        link
        for decision in chains.log.decisions.values()
        for link in chains.links(decision)
        if (link.key.suite, link.key.benchmark) == (section.suite, section.benchmark)
        and chains.current_case(link.key) == case.spec.case_id
    ]


def _line(decision: Decision) -> str:
    parts = [f"{decision.created_at[:16].replace('T', ' ')}  {done(decision.action)}"]
    parts.append(f"by {decision.reviewer}")
    if decision.expires_at:
        parts.append(f"until {decision.expires_at}")
    if decision.cause:
        parts.append(f"({decision.cause.value.replace('_', ' ')})")
    words = decision.reason or next((one.note for one in decision.targets if one.note), "")
    line = " ".join(parts)
    return f"{line}: {words}" if words else line


def _pairs(case: PlannedCase, judgement: Judgement) -> tuple[CheckPair, ...]:
    judged = {one.id: one for one in judgement.checks}
    return tuple(
        _pair(case.chains, check, judged[check.id])
        for check in case.result.checks
        if check.id in judged
    )


def _pair(chains: CaseChains, check: CheckResult, judged: CheckJudgement) -> CheckPair:
    label = judged.old_label
    if judged.old is None and check.kind is CheckKind.SNAPSHOT:
        label = "no earlier value"
    return CheckPair(
        id=check.id,
        kind=check.kind,
        outcome=judged.outcome,
        message=judged.message,
        gate=judged.gate,
        old=judged.old,
        old_label=label,
        new=check.value,
        delta=judged.delta,
        tolerance=judged.tolerance,
        policy_tolerance=judged.policy_tolerance,
        verdict=check.verdict,
        rubric=check.rubric,
        threshold=check.threshold,
        attempts=check.attempts,
        acceptable=judged.acceptable,
        decision=_deciding(chains, check.id),
        source_line=check.source_line,
    )


def _deciding(chains: CaseChains, check: str) -> str:
    state = chains.values.get(check)
    if state is None or state.held is None:
        return ""
    held = state.held
    return f"{done(held.decision.action)} by {held.decision.reviewer}: {held.decision.reason}"


def _old_instrument(judgement: Judgement) -> str:
    return next((one.old_instrument for one in judgement.checks if one.old_instrument), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
