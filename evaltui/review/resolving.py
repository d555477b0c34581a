"""The acts other than accepting and widening: which cases they fit, and what they name."""

from __future__ import annotations

import json
from collections.abc import Callable

from msgspec.structs import replace

from evaltui.errors import UsageError
from evaltui.models import Action, Decision, Gate, Outcome, Target
from evaltui.review.acts import Choices, PlannedTarget, Refusal
from evaltui.review.bench import PlannedCase
from evaltui.review.chains import ChainState, Held
from evaltui.review.expiry import days_left
from evaltui.review.links import Family
from evaltui.review.wording import done, in_force

Planned = list[PlannedTarget] | Refusal


def plan_waive(case: PlannedCase, _: Choices) -> Planned:
    """Keep a fail, an error or a removed case as it is, but out of the gates."""
    judgement, state = case.judgement, case.state(case.target(), Family.WAIVER)
    badge = any(gate in judgement.gates for gate in (Gate.UNSTABLE, Gate.REVISED, Gate.NEAR))
    gated = judgement.outcome is Outcome.REVIEW and (badge or _is_removed(case))
    if judgement.waived and state.live is not None:
        return _refusal(case, "waived", f"it is waived already ({_words(case, state.live)})")
    if judgement.outcome in (Outcome.FAIL, Outcome.ERROR) or gated:
        return [_planned(case, Family.WAIVER, state, f"{judgement.outcome} stays, as waived")]
    advice = {
        Outcome.PASS: "it passes",
        Outcome.SKIPPED: "it was not run",
        Outcome.SUSPENDED: "it waits for an answer: approve or deny it",
    }.get(judgement.outcome, "it waits for a review: accept the new value instead")
    return _refusal(case, "nothing to waive", advice)


def plan_renew(case: PlannedCase, _: Choices) -> Planned:
    """Extend what ends soonest: what has expired or is about to, else everything with an end."""
    today, warn = case.bench.context.today, case.bench.context.policy.expiry.warn_days
    states = [
        state
        for state in case.chains.states()
        if state.held is not None and state.held.expires is not None
    ]
    if any(state.conflict for state in states):
        return _refusal(case, "conflict", "it was decided differently in two places: decide anew")
    ending = [
        state
        for state in states
        if state.held and state.held.expires and days_left(state.held.expires, today) <= warn
    ]
    if not states:
        return _refusal(case, "nothing to renew", "no decision about it has an end")
    return [_renewed(case, state) for state in ending or states]


def plan_answer(case: PlannedCase, _: Choices) -> Planned:
    """Answer the escalation on which the case waits; once or until is chosen in the form."""
    waiting = case.result.suspension
    if waiting is None:
        return _refusal(case, "not waiting", "it does not wait for an answer")
    target = replace(
        case.target(),
        escalation=waiting.name,
        arguments_digest=waiting.arguments_digest,
        occurrence=waiting.occurrence,
    )
    state = case.state(target, Family.ESCALATION)
    once = case.state(target, Family.ESCALATION, case.bench.run.id)
    for answered in (once, state):
        if answered.live is not None:
            return _refusal(case, "answered", f"it is {_words(case, answered.live)} already")
    target = replace(target, parent=state.ends[0] if state.ends else None)
    effect = f"{case.spec.case_id}: {waiting.name} asks: {waiting.reason}"
    return [
        PlannedTarget(
            case.spec.index,
            case.section,
            target,
            Family.ESCALATION,
            state.ends,
            effect=effect,
            advised=advised_by(waiting.arguments),
        )
    ]


def advised_by(arguments: str) -> str:
    """The text that an escalation carries as its argument ``advice``; empty without one.

    Args:
        arguments: The arguments as natural JSON.
    """
    try:
        carried = json.loads(arguments)
    except ValueError:
        return ""
    advice = carried.get("advice") if isinstance(carried, dict) else None
    return advice if isinstance(advice, str) else ""


def plan_block(case: PlannedCase, _: Choices) -> Planned:
    """Fail the gate ``blocked`` until somebody reverts it."""
    state = case.state(case.target(), Family.RELEASE)
    if state.live is not None:
        return _refusal(case, "blocked", f"it is {_words(case, state.live)} already")
    return [_planned(case, Family.RELEASE, state, "blocks the release")]


def plan_retry(case: PlannedCase, _: Choices) -> Planned:
    """Note that the trouble lies in the infrastructure, and run the case again."""
    if case.judgement.outcome is not Outcome.ERROR:
        return _refusal(case, "has a result", "it has a result: only an error can be retried")
    return _note(case, "run again")


def plan_note(case: PlannedCase, _: Choices) -> Planned:
    """Write something down about a case."""
    return _note(case, "noted")


def plan_closing(case: PlannedCase, _: Choices) -> Planned:
    """Close the review of a red case, which stays red until it passes."""
    if case.judgement.outcome in (Outcome.PASS, Outcome.SKIPPED):
        return _refusal(case, "not red", f"it is {case.judgement.outcome}")
    return _note(case, "stays red until it passes")


def plan_relink(case: PlannedCase, choices: Choices) -> Planned:
    """Let the history of a case follow it to its new id.

    Raises:
        UsageError: no new id was given, or it leads back to this case.
    """
    section, new = case.section, choices.new_case_id
    if not new:
        raise UsageError("no new case id", hint="say which case took its place")
    if case.folder.chains.linker.current_id(section.suite, section.benchmark, new) != new:
        raise UsageError(f"{new} was itself linked to another case")
    if new == case.spec.case_id:
        raise UsageError(f"{new} is the same case")
    target = replace(case.target(), value=new, row_digest=None)
    effect = f"{case.spec.case_id} is {new} now"
    return [PlannedTarget(case.spec.index, case.section, target, Family.NOTE, effect=effect)]


def plan_revert(case: PlannedCase, choices: Choices) -> Planned:
    """Take back what is in force about a case: the decision named, else the latest."""
    log = case.folder.log
    states = [state for state in case.chains.states() if state.held is not None]
    standing = [log.decisions[state.positions[0][-1]] for state in states]
    standing += [held.decision for held in case.chains.notes]
    if choices.decision:
        return take_back(case, log.find(choices.decision))
    latest = max(reversed(standing), key=lambda one: one.created_at, default=None)
    if latest is None:
        return _refusal(case, "undecided", "no decision about it is in force")
    return take_back(case, latest)


def take_back(case: PlannedCase, decision: Decision) -> Planned:
    """Revert one decision as far as it is the latest word about this case."""
    chains = case.folder.chains
    states = list(case.chains.states())
    states += [
        chains.of(link.key)
        for link in chains.links(decision)
        if link.key.family is Family.NOTE and chains.current_case(link.key) == case.spec.case_id
    ]
    targets = [
        _naming(case, state, decision.id, end)
        for state in states
        if (end := state.end_at(decision.id)) is not None
    ]
    if not targets:
        return _refusal(case, "decided since", f"{decision.id[:12]} is not the latest word on it")
    return targets


def naming_target(state: ChainState, decision: str, parent: str) -> Target:
    """A target that names a decision as far as it stands in one chain, after its end ``parent``."""
    key = state.key
    bare = Target(key.suite, key.benchmark, key.case_id, decision=decision, parent=parent)
    held = state.leaves[0].target if state.leaves else bare
    if key.family is Family.ESCALATION:
        return replace(
            bare,
            escalation=held.escalation,
            arguments_digest=held.arguments_digest,
            occurrence=held.occurrence,
        )
    if key.family in (Family.VALUE, Family.TOLERANCE):
        return replace(bare, check=held.check, slice=held.slice)
    return bare


def _renewed(case: PlannedCase, state: ChainState) -> PlannedTarget:
    assert state.held is not None
    return _naming(case, state, state.held.decision.id, state.ends[0])


def _naming(case: PlannedCase, state: ChainState, decision: str, end: str) -> PlannedTarget:
    named = case.folder.log.decisions[decision]
    words = _words(case, state.held) if state.held else done(named.action)
    return PlannedTarget(
        case.spec.index,
        case.section,
        naming_target(state, decision, end),
        state.key.family,
        (end,),
        effect=f"{case.spec.case_id}: {words}",
    )


def _planned(case: PlannedCase, family: Family, state: ChainState, effect: str) -> PlannedTarget:
    target = replace(case.target(), parent=state.ends[0] if state.ends else None)
    return PlannedTarget(
        case.spec.index,
        case.section,
        target,
        family,
        state.ends,
        effect=f"{case.spec.case_id}: {effect}",
    )


def _note(case: PlannedCase, effect: str) -> Planned:
    return [
        PlannedTarget(
            case.spec.index,
            case.section,
            case.target(),
            Family.NOTE,
            effect=f"{case.spec.case_id}: {effect}",
        )
    ]


def _is_removed(case: PlannedCase) -> bool:
    return case.judgement.kind == Gate.REMOVED


def _words(case: PlannedCase, held: Held) -> str:
    return in_force(held, case.bench.context.today)


def _refusal(case: PlannedCase, kind: str, reason: str) -> Refusal:
    return Refusal(case.spec.index, case.spec.case_id, kind, reason)


PLANNERS: dict[Action, Callable[[PlannedCase, Choices], Planned]] = {
    Action.WAIVE: plan_waive,
    Action.RENEW: plan_renew,
    Action.APPROVE_ESCALATION: plan_answer,
    Action.DENY_ESCALATION: plan_answer,
    Action.REVISE_FIXTURE: plan_closing,
    Action.RETRY_INFRASTRUCTURE: plan_retry,
    Action.FIX_ADAPTER: plan_closing,
    Action.BLOCK_RELEASE: plan_block,
    Action.RELINK: plan_relink,
    Action.ANNOTATE: plan_note,
    Action.REVERT: plan_revert,
}
"""How each act is planned for one case; accepting and widening look at all cases together."""
