"""The acts of a person, one command each; all of them go through the review session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from evaltui.commands.options import (
    JsonOption,
    ProjectOption,
    ReviewerOption,
    RunOption,
    StoreOption,
)
from evaltui.errors import ExitCode, UsageError
from evaltui.models import Action, Cause

if TYPE_CHECKING:
    from evaltui.review.acts import ActPlan, ActResult
    from evaltui.review.form import Reading
    from evaltui.review.session import Session

Cases = Annotated[
    list[str] | None,
    typer.Argument(metavar="CASE...", help="Case ids, or BENCHMARK:ID where ids repeat."),
]
FilterOption = Annotated[
    str, typer.Option("--filter", metavar="EXPR", help="Also every case such as `gate:new`.")
]
ReasonOption = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")]
ExpiresOption = Annotated[
    str | None, typer.Option("--expires", metavar="DAY", help="2027-01-31 or 90d.")
]
CheckOption = Annotated[
    str | None, typer.Option("--check", metavar="ID", help="Only this check, e.g. expect#1.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Say what would change.")]
DECIDABLE = (
    Action.REVISE_FIXTURE,
    Action.RETRY_INFRASTRUCTURE,
    Action.FIX_ADAPTER,
    Action.BLOCK_RELEASE,
    Action.ANNOTATE,
)


class Where(Struct, frozen=True):
    """Which run of which project an act is about, and how to answer."""

    project: Path
    store: str | None
    run: str | None
    reviewer: str | None
    as_json: bool
    dry_run: bool


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    for command in (accept, widen, waive, renew, approve, deny, revert, decide):
        app.command(command.__name__)(command)
    cases = typer.Typer(help="The identity of cases.", no_args_is_help=True)
    cases.command("link")(link)
    app.add_typer(cases, name="cases")


def accept(
    cases: Cases = None,
    reason: ReasonOption = "",
    cause: Annotated[
        str | None, typer.Option(metavar="CAUSE", help=", ".join(Cause), show_default=False)
    ] = None,
    expires: ExpiresOption = None,
    check: CheckOption = None,
    decision: Annotated[
        str | None,
        typer.Option(metavar="ID", help="In a conflict: the decision whose value to keep."),
    ] = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Accept the new value of cases as their baseline."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    texts = {"reason": reason, "cause": cause, "expires": expires}
    choices = {"check": check, "decision": decision}
    return _act(where, Action.ACCEPT_BASELINE, cases, filter, texts, choices)


def widen(
    cases: Cases = None,
    tolerance: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="The new tolerance; else the smallest.")
    ] = None,
    scope: Annotated[
        str, typer.Option(metavar="SCOPE", help="check, case, slice or benchmark.")
    ] = "check",
    slice: Annotated[str | None, typer.Option(metavar="NAME", help="Which slice.")] = None,
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    check: CheckOption = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Widen the tolerance that scores and numbers are compared with."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    texts = {"reason": reason, "expires": expires, "tolerance": tolerance}
    choices = {"scope": scope, "slice": slice, "check": check, "tolerance": tolerance}
    return _act(where, Action.WIDEN_TOLERANCE, cases, filter, texts, choices)


def waive(
    cases: Cases = None,
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Let failed, broken or removed cases fail no gate until a day."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    return _act(where, Action.WAIVE, cases, filter, {"reason": reason, "expires": expires}, {})


def renew(
    cases: Cases = None,
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Extend what was decided about cases."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    return _act(where, Action.RENEW, cases, filter, {"reason": reason, "expires": expires}, {})


def approve(
    cases: Cases = None,
    value: Annotated[
        str, typer.Option(metavar="TEXT", help="What the program gets; else `approved`.")
    ] = "",
    once: Annotated[bool, typer.Option("--once", help="Only in this run.")] = False,
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Approve the escalation that cases wait for."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    scope = "once" if once else "until"
    texts = {"value": value, "scope": scope, "reason": reason, "expires": expires}
    return _act(where, Action.APPROVE_ESCALATION, cases, filter, texts, {})


def deny(
    cases: Cases = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="What the program is told.")] = "",
    stop: Annotated[bool, typer.Option("--stop", help="Stop the case instead.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Only in this run.")] = False,
    reason: ReasonOption = "",
    expires: ExpiresOption = None,
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Deny the escalation that cases wait for."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    texts = {
        "note": note,
        "how": "deny_stop" if stop else "deny_value",
        "scope": "once" if once else "until",
        "reason": reason,
        "expires": expires,
    }
    return _act(where, Action.DENY_ESCALATION, cases, filter, texts, {})


def revert(
    cases: Cases = None,
    decision: Annotated[
        str | None, typer.Option(metavar="ID", help="Which decision; else the latest.")
    ] = None,
    reason: ReasonOption = "",
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Take back what was decided about cases."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    return _act(where, Action.REVERT, cases, filter, {"reason": reason}, {"decision": decision})


def decide(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=", ".join(DECIDABLE))],
    cases: Cases = None,
    reason: ReasonOption = "",
    note: Annotated[str, typer.Option(metavar="TEXT", help="For annotate.")] = "",
    source: Annotated[str, typer.Option(metavar="TEXT", help="For revise_fixture.")] = "",
    requirement: Annotated[str, typer.Option(metavar="TEXT", help="For revise_fixture.")] = "",
    filter: FilterOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Record any other act upon cases."""
    if action not in DECIDABLE:
        raise UsageError(f"no act {action!r} here", hint=f"use one of {', '.join(DECIDABLE)}")
    where = Where(project, store, run, reviewer, as_json, dry_run)
    texts = {"reason": reason, "note": note, "source": source, "requirement": requirement}
    return _act(where, Action(action), cases, filter, texts, {})


def link(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The id that is gone.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The id that took its place.")],
    reason: ReasonOption = "",
    run: RunOption = None,
    reviewer: ReviewerOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> int:
    """Let the history of a case follow it to its new id."""
    where = Where(project, store, run, reviewer, as_json, dry_run)
    texts = {"reason": reason, "new_case_id": new}
    return _act(where, Action.RELINK, [old], "", texts, {"new_case_id": new})


def _act(
    where: Where,
    action: Action,
    cases: list[str] | None,
    filter: str,
    texts: Mapping[str, str | None],
    choices: Mapping[str, str | None],
) -> int:
    from evaltui.clock import Ids, system_clock
    from evaltui.commands.stored import opened
    from evaltui.review.reviewer import find_reviewer
    from evaltui.review.session import Session

    with opened(where.project, where.store, read_only=False) as stored:
        run = stored.run(where.run)
        reviewer = find_reviewer(where.reviewer, stored.project.root)
        session = Session.open(
            stored.store, run.id, stored.project.policy, system_clock(), Ids(), reviewer=reviewer
        )
        indices = _indices(session, cases or [], filter)
        plan = session.plan(action, indices, **choices)
        given = {name: text for name, text in texts.items() if text}
        reading = _read_form(session, plan, given)
        if where.dry_run or not plan.possible:
            _refuse({name: fact for name, fact in reading.errors.items() if name in given})
            _print_plan(plan, where.as_json)
            return ExitCode.OK if plan.possible else ExitCode.GATE_FAILED
        _refuse(reading.errors)
        assert reading.form is not None
        result = session.commit(plan, reading.form)
        _print_result(session, plan, result, where.as_json)
        return ExitCode.GATE_FAILED if plan.refused else ExitCode.OK


def _indices(session: Session, cases: list[str], filter: str) -> list[int]:
    from evaltui.review.filtering import parse_filter

    found = [session.find_case(text) for text in cases]
    if filter:
        matches = parse_filter(filter).matches
        found += [row.index for row in session.rows if matches(row)]
    if not found and filter:
        label = session.run.label
        raise UsageError(
            f"no case of run {label} matches {filter!r}", hint=f"evaltui show {label} lists them"
        )
    if not found:
        raise UsageError("no case is named", hint="name cases, or use --filter")
    return list(dict.fromkeys(found))


def _read_form(session: Session, plan: ActPlan, given: Mapping[str, str]) -> Reading:
    """The form as the options fill it in; what they leave out starts as in the dialog."""
    from evaltui.review.form import FormRules, read_form, starting_texts

    if "cause" in given:
        _refuse_unknown_cause(given["cause"])
    expiry = session.policy.expiry
    rules = FormRules(session.clock.today(), session.reviewer, expiry.default, _days(expiry.max))
    return read_form(plan, {**starting_texts(plan, rules), **given}, rules)


def _refuse(problems: Mapping[str, str]) -> None:
    for name, problem in problems.items():
        raise UsageError(problem, hint=f"see --{name.replace('_', '-')}")


def _refuse_unknown_cause(text: str) -> None:
    if text in set(Cause):
        return
    import difflib

    near = difflib.get_close_matches(text.lower(), list(Cause), 1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"no cause {text!r}", hint=f"{meant}use one of {', '.join(Cause)}")


def _days(span: str) -> int:
    from evaltui.review.expiry import days_of

    return days_of(span)


def _print_plan(plan: ActPlan, as_json: bool) -> None:
    from evaltui.commands.console import print_json
    from evaltui.text import safe

    if as_json:
        print_json(_plan_object(plan))
        return
    print(safe(plan.sentence))
    for line in (*plan.warnings, *plan.effects):
        print(f"  {safe(line)}")
    _print_refusals(plan)


def _print_refusals(plan: ActPlan) -> None:
    from evaltui.text import safe

    for refusal in plan.refused if len(plan.asked) > 1 else ():
        print(f"  {safe(refusal.case_id)}: {safe(refusal.reason)}")


def _print_result(session: Session, plan: ActPlan, result: ActResult, as_json: bool) -> None:
    from evaltui.commands.console import note, print_json
    from evaltui.text import safe

    if as_json:
        data = _plan_object(plan)
        data["decisions"] = [decision.id for decision in result.decisions]
        data["rerun"] = [row.case_id for row in map(session.row, result.rerun) if row]
        print_json(data)
        return
    print(safe(result.message))
    _print_refusals(plan)
    for warning in plan.warnings:
        note(f"warning: {warning}")
    if result.rerun:
        note(f"to let it run on: evaltui run --resume {session.run.label}")


def _plan_object(plan: ActPlan) -> dict[str, object]:
    return {
        "action": str(plan.action),
        "sentence": plan.sentence,
        "cases": [target.target.case_id for target in plan.targets],
        "effects": list(plan.effects),
        "warnings": list(plan.warnings),
        "refused": [
            {"case": refusal.case_id, "kind": refusal.kind, "reason": refusal.reason}
            for refusal in plan.refused
        ],
    }
