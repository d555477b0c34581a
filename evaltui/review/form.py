"""The form before every act: its fields, what they start with, and what they may hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import zip_longest

from msgspec import Struct, field

from evaltui.decimals import decimal_of
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
        Field("value", "answer the program gets", "approved when empty"),
        Field("note", "note", "what the next reader is told"),
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
_TOLD = Field("note", "reason", "why not; the program is told it too")
_FIRST = ("reviewer", "reason", "note")
"""Of an answer: why comes before what the program gets, so that neither is taken for the other."""
_ANSWERS = (Action.APPROVE_ESCALATION, Action.DENY_ESCALATION)


def fields_of(plan: ActPlan) -> tuple[Field, ...]:
    """The fields that an act needs, in the order to ask."""
    names = list(plan.needs)
    if plan.action is Action.WIDEN_TOLERANCE:
        names.insert(names.index("tolerance") + 1, "reach")
    if plan.action in _ANSWERS:
        names.sort(key=lambda name: name not in _FIRST)
    if _judged(plan) and "value" in names:
        names.remove("value")
    denied = plan.action is Action.DENY_ESCALATION
    return tuple(_TOLD if denied and name == "note" else _FIELDS[name] for name in names)


def _judged(plan: ActPlan) -> bool:
    """Whether what is answered are judges: they get a verdict, no text."""
    names = [one.target.escalation or "" for one in plan.targets]
    return bool(names) and all(name.startswith("judge:") for name in names)


def starting_texts(plan: ActPlan, rules: FormRules) -> dict[str, str]:
    """What the fields hold at first."""
    texts = {"expires": rules.expiry, "scope": "until", "how": "deny_value", "reach": "check"}
    if rules.reviewer is not None:
        texts["reviewer"] = rules.reviewer.name
    if plan.tolerance is not None:
        texts["tolerance"] = plan.tolerance
    if plan.choices.scope:
        texts["reach"] = plan.choices.scope
    if plan.targets and all(_is_first(one) for one in plan.targets):
        texts["cause"] = Cause.INITIAL.value
    texts["value"] = _advised(plan)
    return texts


def starting_notes(plan: ActPlan, rules: FormRules) -> dict[str, str]:
    """What stands beside fields for as long as they hold what they hold at first."""
    notes = {}
    if rules.reviewer is not None and rules.reviewer.email:
        notes["reviewer"] = rules.reviewer.email
    if _advised(plan):
        notes["value"] = "as advised"
    return notes


def _is_first(one: PlannedTarget) -> bool:
    """Whether nothing was ever accepted that this target would follow."""
    return one.old is None or (not one.ends and one.target.parent is None)


def _advised(plan: ActPlan) -> str:
    """The answer that every escalation of the act advises; empty when they differ."""
    advised = {one.advised for one in plan.targets}
    return advised.pop() if len(advised) == 1 else ""


def read_form(plan: ActPlan, texts: Mapping[str, str], rules: FormRules) -> Reading:
    """Check the texts of a form, by field name; the plan's ``needs`` say which of them count."""
    errors: dict[str, str] = {}
    values = {name: texts.get(name, "").strip() for name in plan.needs}
    for name, value in values.items():
        problem = _problem(name, value, values, rules)
        if problem:
            errors[name] = problem
    if errors:
        return Reading(None, errors)
    return Reading(_form(values, rules))


def _problem(name: str, value: str, values: Mapping[str, str], rules: FormRules) -> str:
    if name == "expires" and values.get("scope") == "once":
        return ""
    try:
        if name == "expires":
            parse_expiry(value, rules.today, rules.longest)
        elif name == "reviewer":
            _reviewer(value, rules)
        elif name == "tolerance":
            return _tolerance_problem(value)
        elif name == "cause":
            return "" if value in set(Cause) else "choose why the value moved"
        elif not value and name != "value" and not _FIELDS[name].options:
            told = name == "note" and "how" in values
            return f"the {(_TOLD if told else _FIELDS[name]).label} is missing"
    except UsageError as error:
        return str(error)
    return ""


def _tolerance_problem(value: str) -> str:
    number = decimal_of(value)
    if number is None:
        return "the tolerance is not a decimal such as 0.05"
    return "" if number >= 0 else "the tolerance is below zero"


def _reviewer(text: str, rules: FormRules) -> Reviewer:
    """The reviewer that the form began with keeps the e-mail, which the field does not hold.

    Raises:
        UsageError: not a name.
    """
    known = rules.reviewer
    return known if known is not None and text == known.name else reviewer_named(text)


def _form(values: Mapping[str, str], rules: FormRules) -> DecisionForm:
    once = values.get("scope") == "once"
    return DecisionForm(
        reviewer=_reviewer(values["reviewer"], rules),
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
    """What exactly an act changes, what it cannot change and why.

    Every effect and every refusal begins a change of the page, so that a view can count them.
    """
    writer = PageWriter(width)
    writer.text(plan.sentence, Role.TITLE, indent=0)
    for warning in plan.warnings:
        writer.text(f"! {warning}", Role.REVIEW, indent=0)
    opened = plan.targets if len(plan.targets) <= _OPENED else ()
    for effect, target in zip_longest(plan.effects[:_SHOWN], opened):
        if effect is not None:
            writer.begin_change()
            writer.text(effect, indent=2)
        if target is not None:
            _values(writer, target, named=len(opened) > 1)
    _left_out(writer, len(plan.effects), "changes")
    # What is said about a single case stands in the sentence already.
    for refusal in plan.refused[:_SHOWN] if len(plan.asked) > 1 else ():
        writer.begin_change()
        writer.text(f"- {refusal.case_id}: {refusal.reason}", Role.QUIET, indent=2)
    _left_out(writer, len(plan.refused), "refusals")
    return writer.page()


def _values(writer: PageWriter, target: PlannedTarget, *, named: bool) -> None:
    """Old and new value of a target, each on one line."""
    if target.new is None:
        return
    case = f"{one_line(target.target.case_id or '', 40)}: " if named else ""
    for sign, value, role in (("-", target.old, Role.OLD), ("+", target.new, Role.NEW)):
        if value is not None:
            text = f"{sign} {case}{one_line(value_text(value), 400)}"
            writer.add(cut_line(line(text, role), writer.width - 4), 4)


def _left_out(writer: PageWriter, count: int, what: str) -> None:
    if count > _SHOWN:
        writer.text(f"showing first {_SHOWN} of {count:,} {what}", Role.QUIET)
