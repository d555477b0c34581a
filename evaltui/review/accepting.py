"""Which values of a case can become its baselines, and why others cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec.structs import replace

from evaltui.engine.values import JsonError, content_hash, tagged, untagged
from evaltui.errors import DecisionError
from evaltui.models import (
    CheckJudgement,
    CheckKind,
    CheckResult,
    CheckState,
    Mode,
    Outcome,
    Target,
)
from evaltui.review.acts import Choices, PlannedTarget, Refusal
from evaltui.review.baselines import PREFIX, digest_of
from evaltui.review.bench import PlannedCase
from evaltui.review.chains import ChainState
from evaltui.review.links import Family
from evaltui.review.wording import done

_CANNED = ("mock", "scripted")


def plan_accept(case: PlannedCase, choices: Choices, alone: bool) -> list[PlannedTarget] | Refusal:
    """The values of a case to accept.

    Args:
        case: The case.
        choices: ``check`` narrows to one check; ``decision`` picks the end of a conflict.
        alone: Whether this is the only case of the act: then Scores that never had a baseline are
            offered even though nothing asks for one.
    """
    found = list(_acceptable(case, choices, alone))
    if choices.decision:
        return [_picked(case, check, choices.decision) for check, _ in found]
    reason = _obstacle(case)
    if reason is not None:
        return _refusal(case, *reason)
    if not found:
        return _refusal(case, *_nothing(case))
    targets: list[PlannedTarget] = []
    for check, judged in found:
        planned = _plan_check(case, check, judged)
        if isinstance(planned, Refusal):
            return planned
        targets.append(planned)
    return targets


def is_live(instrument: str | None) -> bool:
    """Whether a vendor outside this program took part in a measurement; imported answers do not."""
    if not instrument:
        return False
    try:
        members = json.loads(instrument)
    except ValueError:
        return True
    members = members if isinstance(members, list) else [members]
    asked = [one for one in members if isinstance(one, dict) and not one.get("imported")]
    return any(one.get("vendor") not in _CANNED for one in asked)


def _acceptable(
    case: PlannedCase, choices: Choices, alone: bool
) -> Iterator[tuple[CheckResult, CheckJudgement]]:
    judged = {one.id: one for one in case.judgement.checks}
    pairs = [(check, judged[check.id]) for check in case.result.checks if check.id in judged]
    # A row that was revised can be signed anew although its value is the accepted one.
    revised = "revised" in case.judgement.badges
    pairs = [
        pair for pair in pairs if (revised or pair[1].acceptable) and pair[0].value is not None
    ]
    if choices.check is not None:
        yield from (pair for pair in pairs if pair[0].id == choices.check)
        return
    asking = [pair for pair in pairs if pair[1].outcome is not Outcome.PASS]
    tolerated = [pair for pair in pairs if pair[1].delta]
    yield from asking or (tolerated or pairs if alone or revised else tolerated)


def _obstacle(case: PlannedCase) -> tuple[str, str] | None:
    """Why no value of the case can be accepted at all: a word to count by, and what to do."""
    result, judgement = case.result, case.judgement
    if result.skipped is not None:
        if judgement.outcome is Outcome.REVIEW:
            return "removed", "it is no longer in the suite: waive it, or link it to its new id"
        return "not run", "it was not run"
    if result.suspension is not None:
        return "waiting", f"it waits on {result.suspension.name}: approve or deny that first"
    if result.denied is not None:
        return "denied", f"it was {result.denied}: revert the denial or waive the case"
    if result.error is not None:
        return "no result", f"it has no result ({result.error.kind}): run it again, or waive it"
    return _failed_check(case) or _resolved(case)


def _failed_check(case: PlannedCase) -> tuple[str, str] | None:
    for check in case.result.checks:
        if check.state is CheckState.ERROR:
            return "no result", f"{check.id} has no result: run the case again, or waive it"
        if check.state is CheckState.FAIL:
            advice = "mend the program or the check, or waive the case"
            return check.kind.value, f"{check.id} failed, which no baseline can answer: {advice}"
    return None


def _resolved(case: PlannedCase) -> tuple[str, str] | None:
    """Another resolution of this run that has to be taken back first."""
    chains = case.chains
    for state in (chains.waiver, chains.release):
        held = state.live if state is not None else None
        if held is not None and held.decision.run_id == case.bench.run.id:
            word = done(held.decision.action)
            return word, f"it was {word} by {held.decision.reviewer} in this run: revert that first"
    return None


def _nothing(case: PlannedCase) -> tuple[str, str]:
    if any(check.value is not None for check in case.result.checks):
        return "nothing new", "it equals its baseline"
    if case.judgement.outcome is Outcome.PASS:
        return "nothing to accept", "it passes, and no snapshot or score could be a baseline"
    return "nothing to accept", "it has no snapshot and no score: mend it, or waive it"


def _plan_check(
    case: PlannedCase, check: CheckResult, judged: CheckJudgement
) -> PlannedTarget | Refusal:
    text = check.value or ""
    try:
        digest = digest_of(tagged(untagged(text)))
        text.encode()
    except (JsonError, UnicodeEncodeError):
        return _refusal(case, "not storable", f"{check.id} holds what no file can: say, a NaN")
    secret = case.bench.scanner.find(text)
    if secret is not None:
        return _refusal(case, "secret", f"{check.id} holds {secret}: it must not be committed")
    target = replace(case.target(check.id), new_digest=digest)
    state = case.state(target, Family.VALUE)
    canned = _canned_over_live(case, state)
    if canned is not None:
        return _refusal(case, "canned", canned)
    owner = _other_owner(case, target) if check.kind is CheckKind.SNAPSHOT else None
    if owner is not None:
        return _refusal(case, "shared key", owner)
    old = _old(case, check, judged)
    target = replace(
        target,
        instrument=case.result.instrument or None,
        parent=state.ends[0] if state.ends else _wide_end(case, check),
        old_digest=None if old is None else digest_of(old),
    )
    return PlannedTarget(
        case.spec.index,
        case.section,
        target,
        Family.VALUE,
        state.ends,
        old,
        text,
        f"{case.spec.case_id} {check.id}: {judged.delta or judged.gate or 'signed as it is'}",
    )


def _other_owner(case: PlannedCase, target: Target) -> str | None:
    """Why another case that lives on the same snapshot file stands in the way, if one does."""
    chains = case.folder.chains
    for state in chains.values_of(target.benchmark, target.check or ""):
        live, owner = state.live, chains.current_case(state.key)
        same = (state.key.suite, owner) == (target.suite, target.case_id)
        if live is None or owner is None or same or live.target.new_digest == target.new_digest:
            continue
        return (
            f"its snapshot file is the baseline of {owner} in {state.key.suite}: give it a key of "
            f"its own, link {owner} to it, or revert what was accepted there"
        )
    return None


def _canned_over_live(case: PlannedCase, state: ChainState) -> str | None:
    mode = case.result.mode
    if mode is Mode.LIVE or state.held is None or not is_live(state.held.target.instrument):
        return None
    return f"a {mode.value} answer cannot replace the baseline of a live instrument"


def _old(case: PlannedCase, check: CheckResult, judged: CheckJudgement) -> str | None:
    """The value that acceptance replaces: what is on disk, else what was accepted."""
    if check.kind is CheckKind.SNAPSHOT:
        file = case.folder.baselines.read(case.section.benchmark, check.key or "")
        try:
            return None if file is None else file.tagged
        except DecisionError:
            return None
    return judged.old


def _wide_end(case: PlannedCase, check: CheckResult) -> str | None:
    """The adoption that covers this check without naming the case."""
    state = case.view.chains.wide_values.get(check.id)
    return state.ends[0] if state is not None and state.ends else None


def _picked(case: PlannedCase, check: CheckResult, decision: str) -> PlannedTarget:
    """Accept once more what one end of a conflict holds.

    Raises:
        DecisionError: the decision is not an end of this chain.
    """
    bare: Target = case.target(check.id)
    state = case.state(bare, Family.VALUE)
    chosen = case.folder.log.find(decision)
    held = dict(zip(state.ends, state.holds, strict=True)).get(chosen.id)
    if held is None or held.target.new_digest is None:
        raise DecisionError(f"{decision} is no open end of {check.id} of {case.spec.case_id}")
    value = case.folder.value(held.target.new_digest)
    ends = (chosen.id, *(end for end in state.ends if end != chosen.id))
    old = _old(case, check, next(one for one in case.judgement.checks if one.id == check.id))
    target = replace(
        bare,
        new_digest=content_hash(value),
        instrument=held.target.instrument,
        parent=chosen.id,
        old_digest=None if old is None else digest_of(old),
    )
    effect = f"{case.spec.case_id} {check.id}: as {held.decision.reviewer} decided"
    return PlannedTarget(
        case.spec.index, case.section, target, Family.VALUE, ends, old, tagged(value), effect
    )


def _refusal(case: PlannedCase, kind: str, reason: str) -> Refusal:
    return Refusal(case.spec.index, case.spec.case_id, kind, reason)


def snapshot_key(check: str | None) -> str | None:
    """The key of a snapshot's check id; None for other checks."""
    return check.removeprefix(PREFIX) if check and check.startswith(PREFIX) else None
