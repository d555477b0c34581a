"""The filter language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.errors import UsageError
from evaltui.models import CaseSpec, CaseSummary, FailureClass, Gate, Outcome
from evaltui.review.filtering import parse_filter

ROW = CaseSummary(
    0,
    0,
    "Refund-7",
    Outcome.ERROR,
    ("lang=fr", "severity=high"),
    FailureClass.INFRASTRUCTURE,
    "timeout",
    check="assert#2",
    message="no answer after 30 s",
    change="91% alike",
    decision="waived ana, 5d",
    gates=(Gate.COVERAGE,),
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "refund",
        "Refund",
        "answer",
        '"no answer"',
        "lang=fr",
        "outcome:error",
        "outcome:fail,error",
        "OUTCOME:Error",
        "class:infrastructure",
        "class:timeout",
        "slice:fr",
        "slice:lang=fr",
        "slice:HIGH",
        "check:assert",
        "check:assert#2",
        "gate:coverage",
        "id:Refund-7",
        "decided:yes",
        "decided:",
        "decided:ana",
        "!outcome:pass",
        "!zzz",
        "!decided:no refund slice:fr",
        "30",
    ],
)
def test_these_let_the_row_through(text: str) -> None:
    assert parse_filter(text).matches(ROW)
    predicate = parse_filter(text).predicate
    assert predicate is None or predicate(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "REFUND",
        "zzz",
        "outcome:pass",
        "!outcome:error",
        "class:semantic",
        "slice:de",
        "slice:f",
        "check:expect",
        "gate:fail",
        "id:refund-7",
        "decided:no",
        "decided:bob",
        "refund zzz",
        "!refund",
        "!",
    ],
)
def test_these_do_not(text: str) -> None:
    assert not parse_filter(text).matches(ROW)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("outcom:fail", "no filter field outcom:; did you mean outcome"),
        ("outcome:fial", "no outcome 'fial'; did you mean fail"),
        ("outcome:", "filter field outcome: needs a value; outcome:pass|fail"),
        ("gate:zzzz", "no gate 'zzzz'; use one of fail, drift"),
    ],
)
def test_a_mistake_names_the_nearest_word(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_filter(text)
    assert str(caught.value).startswith(message)


def test_quotes_make_any_text_free_text() -> None:
    row = CaseSummary(0, 0, "a:b c", Outcome.PASS)
    assert parse_filter('"a:b c"').matches(row)
    assert parse_filter('!"b a"').matches(row)


def test_a_case_that_has_not_run_is_chosen_by_id_and_slice() -> None:
    spec = CaseSpec(0, 0, "case-7", "d", "{}", ("lang=fr",))
    assert parse_filter("slice:fr !id:case-8 case").matches_spec(spec)
    assert not parse_filter("slice:de").matches_spec(spec)
    with pytest.raises(UsageError, match="outcome: asks for a result"):
        parse_filter("outcome:fail").matches_spec(spec)


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_a_clear_mistake(text: str) -> None:
    try:
        chosen = parse_filter(text)
    except UsageError as problem:
        assert str(problem)
    else:
        assert chosen.matches(ROW) in (True, False)
