"""The form before every act: its fields, what they start with, and what they may hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from msgspec import Struct, field

from evaltui.errors import UsageError
from evaltui.models import Action, Cause
from evaltui.review.acts import ActPlan, DecisionForm, PlannedTarget
from evaltui.review.diffing import value_text
from evaltui.review.expiry import parse_expiry
from evaltui.review.pages import Page, PageWriter
from evaltui.review.reviewer import Reviewer, reviewer_named
from evaltui.review.spans import Role, cut_line, line
from evaltui.text import one_line

_SHOWN = 200
_OPENED = 3
"""Up to so many targets are shown with their values."""
TITLES = {
    Action.ACCEPT_BASELINE: "accept baseline",
    Action.WIDEN_TOLERANCE: "widen tolerance",
    Action.WAIVE: "waive",
    Action.RENEW: "renew",
    Action.APPROVE_ESCALATION: "approve escalation",
    Action.DENY_ESCALATION: "deny escalation",
    Action.REVISE_FIXTURE: "revise fixture",
    Action.RETRY_INFRASTRUCTURE: "retry infrastructure",
    Action.FIX_ADAPTER: "fix adapter",
    Action.BLOCK_RELEASE: "block release",
    Action.RELINK: "relink",
    Action.ANNOTATE: "note",
    Action.REVERT: "revert",
}


class FormRules(Struct, frozen=True):
    """What a form starts with and is checked against.

    ``longest`` is the most days from ``today`` (in UTC) that a decision may live, ``expiry`` the
    policy's default span.
    """

    today: date
    reviewer: Reviewer | None = None
    expiry: str = "90d"
    longest: int | None = None


class Field(Struct, frozen=True):
    """One line of the form; with ``options`` (value, words) it is a choice, else free text."""

    name: str
    label: str
    hint: str = ""
    options: tuple[tuple[str, str], ...] = ()


class Reading(Struct, frozen=True):
    """What the texts of a form come to: a form, or what is wrong by field."""

    form: DecisionForm | None
    errors: Mapping[str, str] = field(default_factory=dict)


_FIELDS = {
    one.name: one
    for one in (
        Field("reviewer", "reviewer", "Name or Name <mail>"),
        Field("cause", "cause", options=tuple((c.value, c.value.replace("_", " ")) for c in Cause)),
        Field("reason", "reason", "why this is right"),
        Field("expires", "expires", "2027-01-31 or 90d"),
        Field("tolerance", "tolerance", "a decimal such as 0.05"),
        Field(
            "reach",
            "applies to",
            options=(
                ("check", "this check of the case"),
                ("case", "every check of the case"),
                ("slice", "the slice"),
                ("benchmark", "the whole benchmark"),
            ),
        ),
        Field("value", "answer", "what the program gets; approved when empty"),
        Field("note", "note", "what the program, or the next reader, is told"),
        Field(
            "how",
            "then",
            options=(
                ("deny_value", "the case goes on with a Fail"),
                ("deny_stop", "the case stops"),
            ),
        ),
        Field(
            "scope",
            "counts",
            options=(("until", "until the expiry, also in CI"), ("once", "once, in this run")),
        ),
        Field("source", "source", "where the requirement stands"),
        Field("requirement", "requirement", "what it says"),
        Field("new_case_id", "new case id"),
    )
}
_OPTIONAL = {(Action.APPROVE_ESCALATION, "reason"), (Action.DENY_ESCALATION, "note")}


def fields_of(plan: ActPlan) -> tuple[Field, ...]:
    """The fields that an act needs, in the order to ask."""
    names = list(plan.needs)
    if plan.action is Action.WIDEN_TOLERANCE:
        names.insert(names.index("tolerance") + 1, "reach")
    return tuple(_FIELDS[name] for name in names)


def starting_texts(plan: ActPlan, rules: FormRules) -> dict[str, str]:
    """What the fields hold at first."""
    reviewer = rules.reviewer
    texts = {"expires": rules.expiry, "scope": "until", "how": "deny_value", "reach": "check"}
    if reviewer is not None:
        mail = f" <{reviewer.email}>" if reviewer.email else ""
        texts["reviewer"] = reviewer.name + mail
    if plan.tolerance is not None:
        texts["tolerance"] = plan.tolerance
    if plan.choices.scope:
        texts["reach"] = plan.choices.scope
    if plan.targets and all(target.old is None for target in plan.targets):
        texts["cause"] = Cause.INITIAL.value
    return texts


def read_form(plan: ActPlan, texts: Mapping[str, str], rules: FormRules) -> Reading:
    """Check the texts of a form, by field name; the plan's ``needs`` say which of them count."""
    errors: dict[str, str] = {}
    values = {name: texts.get(name, "").strip() for name in plan.needs}
    for name, value in values.items():
        problem = _problem(name, value, values, rules)
        if problem and (value or (plan.action, name) not in _OPTIONAL):
            errors[name] = problem
    if errors:
        return Reading(None, errors)
    return Reading(_form(values))


def _problem(name: str, value: str, values: Mapping[str, str], rules: FormRules) -> str:
    if name == "expires" and values.get("scope") == "once":
        return ""
    try:
        if name == "expires":
            parse_expiry(value, rules.today, rules.longest)
        elif name == "reviewer":
            reviewer_named(value)
        elif name == "tolerance":
            return _tolerance_problem(value)
        elif name == "cause":
            return "" if value in set(Cause) else "choose why the value moved"
        elif not value and name != "value" and not _FIELDS[name].options:
            return f"the {_FIELDS[name].label} is missing"
    except UsageError as error:
        return str(error)
    return ""


def _tolerance_problem(value: str) -> str:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return "the tolerance is not a decimal such as 0.05"
    return "" if number.is_finite() and number >= 0 else "the tolerance is below zero"


def _form(values: Mapping[str, str]) -> DecisionForm:
    once = values.get("scope") == "once"
    return DecisionForm(
        reviewer=reviewer_named(values["reviewer"]),
        reason=values.get("reason", ""),
        cause=Cause(values["cause"]) if values.get("cause") else None,
        expires="" if once else values.get("expires", ""),
        value=values.get("value", ""),
        note=values.get("note", ""),
        scope=values.get("scope") or "until",
        how=values.get("how") or "deny_value",
        tolerance=values.get("tolerance", ""),
        source=values.get("source", ""),
        requirement=values.get("requirement", ""),
    )


def plan_page(plan: ActPlan, width: int) -> Page:
    """What exactly an act changes, what it cannot change and why."""
    writer = PageWriter(width)
    writer.text(plan.sentence, Role.TITLE, indent=0)
    for warning in plan.warnings:
        writer.text(f"! {warning}", Role.REVIEW, indent=0)
    for effect in plan.effects[:_SHOWN]:
        writer.text(effect, indent=2)
    if len(plan.targets) <= _OPENED:
        for target in plan.targets:
            _values(writer, target)
    _left_out(writer, len(plan.effects), "changes")
    for refusal in plan.refused[:_SHOWN]:
        writer.text(f"- {refusal.case_id}: {refusal.reason}", Role.QUIET, indent=2)
    _left_out(writer, len(plan.refused), "refusals")
    return writer.page()


def _values(writer: PageWriter, target: PlannedTarget) -> None:
    """Old and new value of a target, each on one line."""
    if target.new is None:
        return
    for sign, value, role in (("-", target.old, Role.OLD), ("+", target.new, Role.NEW)):
        if value is not None:
            text = f"{sign} {one_line(value_text(value), 400)}"
            writer.add(cut_line(line(text, role), writer.width - 4), 4)


def _left_out(writer: PageWriter, count: int, what: str) -> None:
    if count > _SHOWN:
        writer.text(f"showing first {_SHOWN} of {count:,} {what}", Role.QUIET)
