"""The form before every act."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec.structs import replace

from evaltui.engine.values import tagged
from evaltui.models import Action, Cause, Section, Target
from evaltui.review.acts import NEEDS, ActPlan, Choices, PlannedTarget, Refusal
from evaltui.review.form import FormRules, fields_of, plan_page, read_form, starting_texts
from evaltui.review.links import Family
from evaltui.review.reviewer import Reviewer

RULES = FormRules(date(2026, 1, 1), Reviewer("Ana", "a@b.c"), "90d", 365)
SECTION = Section(0, "ulexite", "suite.ulx", "/suite", "Support", "s", "d", 1)
TARGET = PlannedTarget(
    0, SECTION, Target("suite.ulx", "Support", "a"), Family.VALUE, old=tagged("x")
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
    assert texts["reviewer"] == "Ana <a@b.c>"
    assert texts["expires"] == "90d"
    assert "cause" not in texts
    first = plan(Action.ACCEPT_BASELINE, targets=(replace(TARGET, old=None),))
    assert starting_texts(first, RULES)["cause"] == Cause.INITIAL


def test_widening_also_asks_how_far_it_reaches() -> None:
    names = [field.name for field in fields_of(plan(Action.WIDEN_TOLERANCE))]
    assert names == ["reviewer", "tolerance", "reach", "reason", "expires"]


def test_the_page_says_what_changes_and_what_cannot() -> None:
    page = plan_page(
        plan(
            Action.ACCEPT_BASELINE,
            sentence="1 of 2 can be accepted; 1 no result",
            warnings=("a newer run r13 exists",),
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


def test_a_small_act_shows_old_and_new_values() -> None:
    target = replace(TARGET, new=tagged("two\nlines \x1b"))
    text = plan_page(plan(Action.ACCEPT_BASELINE, targets=(target,)), 60).text
    assert "    - x\n    + two⏎lines ␛" in text
    many = plan(Action.ACCEPT_BASELINE, targets=(target,) * 4)
    assert "two" not in plan_page(many, 60).text
