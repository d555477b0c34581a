"""The form before every act."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec.structs import replace

from evaltui.engine.values import tagged
from evaltui.models import Action, Cause, Section, Target
from evaltui.review.acts import NEEDS, ActPlan, Choices, PlannedTarget, Refusal
from evaltui.review.form import (
    FormRules,
    fields_of,
    plan_page,
    read_form,
    starting_notes,
    starting_texts,
)
from evaltui.review.links import Family
from evaltui.review.reviewer import Reviewer

RULES = FormRules(date(2026, 1, 1), Reviewer("Ana", "a@b.c"), "90d", 365)
SECTION = Section(0, "ulexite", "suite.ulx", "/suite", "Support", "s", "d", 1)
TARGET = PlannedTarget(
    0, SECTION, Target("suite.ulx", "Support", "a"), Family.VALUE, ("d1",), old=tagged("x")
)


def plan(action: Action, **changes: object) -> ActPlan:
    made = ActPlan(
        action, Choices(), (0,), (0,), (TARGET,), (), ("a: old → new",), (), "1 of 1", NEEDS[action]
    )
    return replace(made, **changes)


FILLED = {
    "reviewer": "Ana <ana@example.org>",
    "cause": "other",
    "reason": "the requirement changed",
    "expires": "90d",
    "tolerance": "0.05",
    "note": "seen",
    "source": "ticket",
    "requirement": "be brief",
    "scope": "until",
    "how": "deny_stop",
}


@pytest.mark.parametrize("action", [a for a in NEEDS if a is not Action.RELINK])
def test_every_act_can_be_filled_in(action: Action) -> None:
    reading = read_form(plan(action), FILLED, RULES)
    assert reading.errors == {}
    assert reading.form is not None
    assert reading.form.reviewer == Reviewer("Ana", "ana@example.org")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("reviewer", "", "the reviewer's name is empty"),
        ("reviewer", "a\x1b", "control characters"),
        ("cause", "", "choose why the value moved"),
        ("reason", "  ", "the reason is missing"),
        ("expires", "30 Feb", "not an expiry"),
        ("expires", "2025-12-31", "in the past"),
        ("expires", "366d", "beyond the policy's maximum"),
    ],
)
def test_what_is_wrong_is_said_field_by_field(name: str, text: str, message: str) -> None:
    reading = read_form(plan(Action.ACCEPT_BASELINE), FILLED | {name: text}, RULES)
    assert reading.form is None
    assert list(reading.errors) == [name]
    assert message in reading.errors[name]


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "Infinity"])
def test_a_tolerance_is_a_decimal_from_zero_on(text: str) -> None:
    reading = read_form(plan(Action.WIDEN_TOLERANCE), FILLED | {"tolerance": text}, RULES)
    assert list(reading.errors) == ["tolerance"]


def test_an_answer_for_once_needs_no_expiry() -> None:
    texts = FILLED | {"scope": "once", "expires": ""}
    reading = read_form(plan(Action.APPROVE_ESCALATION), texts, RULES)
    assert reading.form is not None
    assert (reading.form.scope, reading.form.expires) == ("once", "")


def test_the_form_starts_with_what_is_known() -> None:
    texts = starting_texts(plan(Action.ACCEPT_BASELINE), RULES)
    assert texts["reviewer"] == "Ana"
    assert texts["expires"] == "90d"
    assert "cause" not in texts
    first = plan(Action.ACCEPT_BASELINE, targets=(replace(TARGET, ends=(), old=None),))
    assert starting_texts(first, RULES)["cause"] == Cause.INITIAL
    unsigned = plan(Action.ACCEPT_BASELINE, targets=(replace(TARGET, ends=()),))
    assert starting_texts(unsigned, RULES)["cause"] == Cause.INITIAL


def test_the_reviewer_field_holds_the_name_and_the_mail_stands_beside_it() -> None:
    accept = plan(Action.ACCEPT_BASELINE)
    assert starting_notes(accept, RULES)["reviewer"] == "a@b.c"
    kept = read_form(accept, FILLED | {"reviewer": "Ana"}, RULES).form
    other = read_form(accept, FILLED | {"reviewer": "Bo"}, RULES).form
    assert kept is not None and kept.reviewer == Reviewer("Ana", "a@b.c")
    assert other is not None and other.reviewer == Reviewer("Bo")


def answering(action: Action, name: str, *advised: str) -> ActPlan:
    target = replace(TARGET.target, escalation=name)
    targets = tuple(replace(TARGET, old=None, target=target, advised=one) for one in advised)
    return plan(action, targets=targets)


def test_an_answer_asks_why_first_and_offers_what_the_program_advises() -> None:
    approve = answering(Action.APPROVE_ESCALATION, "boss", "pay", "pay")
    assert [field.label for field in fields_of(approve)] == [
        "reviewer",
        "reason",
        "answer the program gets",
        "counts",
        "expires",
    ]
    assert starting_texts(approve, RULES)["value"] == "pay"
    assert starting_notes(approve, RULES)["value"] == "as advised"
    differing = answering(Action.APPROVE_ESCALATION, "boss", "pay", "decline")
    assert starting_texts(differing, RULES)["value"] == ""
    errors = read_form(approve, FILLED | {"reason": ""}, RULES).errors
    assert errors == {"reason": "the reason is missing"}


def test_a_denial_needs_a_reason_which_the_program_is_told() -> None:
    deny = answering(Action.DENY_ESCALATION, "boss", "pay")
    assert [field.label for field in fields_of(deny)][:2] == ["reviewer", "reason"]
    assert read_form(deny, FILLED | {"note": ""}, RULES).errors == {"note": "the reason is missing"}


def test_a_judge_is_answered_by_a_verdict_and_not_by_a_text() -> None:
    approve = answering(Action.APPROVE_ESCALATION, "judge:Kind", "")
    assert [field.name for field in fields_of(approve)] == [
        "reviewer",
        "reason",
        "scope",
        "expires",
    ]


def test_widening_also_asks_how_far_it_reaches() -> None:
    names = [field.name for field in fields_of(plan(Action.WIDEN_TOLERANCE))]
    assert names == ["reviewer", "tolerance", "reach", "reason", "expires"]


def test_the_page_says_what_changes_and_what_cannot() -> None:
    page = plan_page(
        plan(
            Action.ACCEPT_BASELINE,
            sentence="1 of 2 can be accepted; 1 no result",
            warnings=("a newer run r13 exists",),
            asked=(0, 1),
            refused=(Refusal(1, "b\x1b", "no result", "run it again"),),
            effects=tuple(f"case {i}" for i in range(300)),
        ),
        60,
    )
    lines = page.text.splitlines()
    assert lines[0] == "1 of 2 can be accepted; 1 no result"
    assert lines[1:3] == ["! a newer run r13 exists", "  case 0"]
    assert "  showing first 200 of 300 changes" in lines
    assert lines[-1] == "  - b␛: run it again"
    assert len(page.changes) == 201


def test_what_cannot_be_done_to_one_case_is_said_once() -> None:
    refused = Refusal(0, "a", "not waiting", "it does not wait")
    said = "a cannot be approved: it does not wait"
    alone = plan(Action.APPROVE_ESCALATION, targets=(), effects=(), refused=(refused,))
    assert plan_page(replace(alone, sentence=said), 60).text == said


def test_a_small_act_shows_old_and_new_values() -> None:
    target = replace(TARGET, new=tagged("two\nlines \x1b"))
    text = plan_page(plan(Action.ACCEPT_BASELINE, targets=(target,)), 60).text
    assert "    - x\n    + two⏎lines ␛" in text
    other = replace(target, target=replace(target.target, case_id="b"))
    both = plan(Action.ACCEPT_BASELINE, targets=(target, other), effects=("a: moved", "b: moved"))
    lines = plan_page(both, 60).text.splitlines()
    assert lines[1:4] == ["  a: moved", "    - a: x", "    + a: two⏎lines ␛"]
    assert lines[4:6] == ["  b: moved", "    - b: x"]
    many = plan(Action.ACCEPT_BASELINE, targets=(target,) * 4)
    assert "two" not in plan_page(many, 60).text
