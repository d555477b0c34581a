"""What the pages about one case say, and in which order."""

from __future__ import annotations

from decimal import Decimal

import pytest
from msgspec.structs import replace

from evaltui.engine.values import score, tagged
from evaltui.models import (
    AttemptRecord,
    CallRecord,
    CaseError,
    CaseSpec,
    CaseSummary,
    CheckKind,
    FailureClass,
    Gate,
    JudgeAttempt,
    Outcome,
    Section,
    Suspension,
)
from evaltui.review.case_pages import case_title, diff_page, preview_page, trace_page
from evaltui.review.detail import CaseDetail, CheckPair
from evaltui.review.spans import plain_text, width_of

CALL = CallRecord(
    1, "chat", "Writer", "openai", "gpt-x", "gpt-x-2", "k", False,
    (("system", "Be terse.\n"), ("user", "Where is it?")), tagged("On its way."),
    None, None, None, 0.0, 420.0, 120, 35, Decimal("0.0012"), raw='{"choices": []}',
)  # fmt: skip
DETAIL = CaseDetail(
    spec=CaseSpec(0, 0, "refund-7", "digest", "{}", ("lang=fr",)),
    section=Section(0, "ulexite", "s.ulx", "/suite", "Support", "s", "d", 1),
    summary=CaseSummary(
        0, 0, "refund-7", Outcome.REVIEW, ("lang=fr",), decision="accepted ana, last day"
    ),
    inputs=(("id", "refund-7"), ("lang", "fr"), ("question", "Where is it?")),
    pairs=(
        CheckPair("assert#1", CheckKind.ASSERT, Outcome.PASS),
        CheckPair(
            "snapshot:refund-7", CheckKind.SNAPSHOT, Outcome.REVIEW, "differs", Gate.EXPIRED,
            tagged("Sent on Monday."), "accepted by ana", tagged("Sent on Friday."), "75% alike",
        ),
        CheckPair(
            "expect#1", CheckKind.EXPECT, Outcome.PASS,
            old=tagged(score(0.8)), new=tagged(score(0.9)),
            tolerance="0.2", policy_tolerance="0.05",
            verdict="Score(0.9)", rubric="Is it kind?", threshold="0.7",
            attempts=(JudgeAttempt(0, "Score(0.6)", False), JudgeAttempt(1, "Score(0.9)", True)),
        ),
    ),
    calls=(CALL,),
    history=("2026-01-01 accepted by ana",),
)  # fmt: skip


def order_of(text: str, *parts: str) -> bool:
    places = [text.index(part) for part in parts]
    return places == sorted(places)


def test_a_preview_goes_from_inputs_to_calls() -> None:
    text = preview_page(DETAIL, 80).text
    assert order_of(
        text, "accepted ana", "inputs", "snapshot:refund-7", "- Sent on Monday", "checks", "calls"
    )
    assert "  question  Where is it?" in text


def test_a_low_preview_brings_the_change_into_sight() -> None:
    lines = preview_page(DETAIL, 80, 8).text.splitlines()
    assert lines[2] == "question Where is it?"
    assert any("- Sent on Monday." in line for line in lines[:8])


def test_a_pair_begins_with_what_has_to_be_looked_at() -> None:
    text = diff_page(DETAIL, 120).text
    assert order_of(
        text, "snapshot:refund-7", "expect#1", "checks", "rubric", "inputs", "call 1", "decisions"
    )
    assert "moved +0.1, tolerance 0.2: inside · policy's tolerance 0.05" in text
    assert "attempt 2  Score(0.9)" in text
    assert "system        Be terse.\n  user" in text


def test_a_different_instrument_comes_first() -> None:
    old, new = '{"model":"a","vendor":"x"}', '{"model":"b","vendor":"x"}'
    text = diff_page(replace(DETAIL, instrument_old=old, instrument_new=new), 100).text
    assert order_of(text, "instrument", "- model: a", "snapshot:refund-7")
    old = '[{"capability":"judge","model":"a","params":{"t":0},"provider":"P","rubric":"01"}]'
    new = '[{"capability":"judge","model":"b","params":{"t":1},"provider":"P","rubric":"02"}]'
    text = diff_page(replace(DETAIL, instrument_old=old, instrument_new=new), 100).text
    assert order_of(
        text, "judge by P: model a → b", "judge by P: the text of the rubric changed", "t 0 → 1"
    )
    assert "instrument" not in diff_page(replace(DETAIL, instrument_new=new), 100).text


def test_an_error_says_its_class_and_what_to_do() -> None:
    error = CaseError(FailureClass.INFRASTRUCTURE, "timeout", "no answer", "run it again")
    text = preview_page(replace(DETAIL, error=error), 80).text
    assert order_of(text, "error: infrastructure/timeout", "no answer", "→ run it again", "inputs")


def test_a_suspended_case_says_what_is_asked_and_which_keys_answer() -> None:
    waiting = Suspension("manager", "above 100 pounds", '{"amount":120}', "d", 0)
    text = preview_page(replace(DETAIL, suspension=waiting), 80).text
    assert order_of(text, "waiting for a person: manager", "above 100", "y approves, d denies")


def test_output_without_a_snapshot_is_shown_beside_the_run_before() -> None:
    bare = replace(DETAIL, pairs=DETAIL.pairs[:1], output=tagged({"answer": "b"}))
    assert "output  no earlier value · shown, never gated" in diff_page(bare, 100).text
    known = replace(bare, previous_output=tagged({"answer": "a"}), previous_label="run r1")
    text = diff_page(known, 100).text
    assert "output  run r1 · 1 changed path" in text
    assert "- answer: a" in text


def test_a_trace_puts_calls_on_one_time_line() -> None:
    tries = (AttemptRecord(1, 503, 0, 5, error="busy"), AttemptRecord(2, 200, 10, 5))
    second = replace(CALL, number=2, started_ms=420.0, latency_ms=80.0, attempts=tries)
    text = trace_page(replace(DETAIL, calls=(CALL, second)), 100).text
    assert "time line  500 ms" in text
    bars = [line for line in text.splitlines() if "█" in line]
    assert bars[0].index("█") < bars[1].index("█")
    assert "try 1         503  5 ms  busy" in text
    assert trace_page(replace(DETAIL, calls=()), 80).text == "This case made no call."


@pytest.mark.parametrize("width", [20, 61, 80, 140])
def test_hostile_text_stays_inert_and_within_the_page(width: int) -> None:
    evil = "\x1b[31m[/b] \u202e\u200b\x00 漢字 " * 30
    call = replace(CALL, input=(("user\x1b", evil),), output=tagged(evil), raw=evil, error=evil)
    pair = CheckPair(
        evil, CheckKind.SNAPSHOT, Outcome.FAIL, evil, old=tagged("a"), new=tagged(evil)
    )
    row = replace(DETAIL.summary, case_id=evil, decision=evil, slices=(evil,))
    detail = replace(
        DETAIL, summary=row, inputs=((evil, evil),), pairs=(pair,), calls=(call,), history=(evil,)
    )
    for page in (preview_page(detail, width), diff_page(detail, width), trace_page(detail, width)):
        assert all(width_of(line) <= width for line in page.lines)
        assert not {"\x1b", "\u202e", "\u200b", "\x00"} & set(page.text)
    assert "\x1b" not in plain_text(case_title(detail))


def test_a_megabyte_on_one_line_is_bounded() -> None:
    pair = replace(DETAIL.pairs[1], old=tagged("x" * 1_000_000), new=tagged("y" * 1_000_000))
    page = diff_page(replace(DETAIL, pairs=(pair,)), 120)
    assert "showing first 20,000 of 1,000,000 characters" in page.text
    assert len(page.lines) < 1_000
