"""What a judge is asked, and what its reply is taken for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.engine.carriers import ESCALATE, PASS, Verdict, fail, score
from evaltui.providers.judging import judge_messages, read_verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (" pass\n", PASS),
        ("\u2003PASS\u00a0", PASS),
        ("Escalate", ESCALATE),
        ("FAIL: too long", fail("too long")),
        ("fail:: :x", fail(":x")),
        ("FAIL", fail("no reason given")),
        ("FAIL:  \n", fail("no reason given")),
        ("FAILED: x", fail("ED: x")),
        ("fail: a\nb", fail("a\nb")),
        ("SCORE: 0.8", score(0.8)),
        ("score 7", score(7.0)),
        ("Score:.5", score(0.5)),
        ("score: 5.", score(5.0)),
        ("score: -1e-3", score(-0.001)),
        ("score: inf", score(math.inf)),
        ("score: 0.8/1", ESCALATE),
        ("score: 1_0", ESCALATE),
        ("score: 0.8 out of 1", ESCALATE),
        ("score: ٣", ESCALATE),
        ("score:", ESCALATE),
        ("PASS.", ESCALATE),
        ("Pass: good", ESCALATE),
        ("PASS\nwell done", ESCALATE),
        ("\x1cPASS", ESCALATE),
        ("pa\u017fs", ESCALATE),
        ("", ESCALATE),
    ],
)
def test_reading_a_verdict(reply: str, verdict: Verdict) -> None:
    assert read_verdict(reply) == verdict


def test_nan_is_a_score() -> None:
    payload = read_verdict("SCORE: nan").payload
    assert isinstance(payload, float)
    assert math.isnan(payload)


@given(st.text())
def test_any_reply_is_a_verdict(reply: str) -> None:
    assert read_verdict(reply).variant in ("Pass", "Fail", "Score", "Escalate")


def test_the_question_names_rubric_and_subject() -> None:
    system, user = judge_messages("the text", "Is it fine?")
    assert (system.role, user.role) == ("system", "user")
    assert user.text == "Rubric: Is it fine?\n\nSubject:\nthe text"
    assert judge_messages(3, ["x"])[1].text == "Rubric: \n\nSubject:\n"
