"""Runs and decisions as lines."""

from __future__ import annotations

from datetime import date

from evaltui.models import Action, Cause, Decision, Mode, Outcome, Target
from evaltui.review.history_pages import decisions_page, run_line
from evaltui.review.spans import plain_text, width_of
from evaltui.store.records import RunRow

TODAY = date(2026, 3, 1)
RUN = RunRow(
    "id", "r12", "2026-03-01T12:00:00Z", None, "interrupted", Mode.MOCK, "mock", "p", None,
    ("s.ulx",), ("Replies",), 9, {Outcome.PASS: 7, Outcome.FAIL: 2}, 2,
)  # fmt: skip


def decided(id: str, action: Action, *targets: Target, **more: object) -> Decision:
    return Decision(id * 32, action, "ana", f"2026-02-0{id}T00:00:00Z", targets, **more)  # type: ignore[arg-type]


def about(*cases: str) -> list[Target]:
    return [Target("s.ulx", "Replies", case) for case in cases]


def test_a_run_fits_its_line() -> None:
    text = plain_text(run_line(RUN, 120))
    assert "r12" in text and "interrupted" in text and "2 red" in text and "✓ 7" in text
    assert width_of(run_line(RUN, 40)) <= 40


def test_decisions_come_newest_first_with_their_ends_and_reasons() -> None:
    first = decided("1", Action.ACCEPT_BASELINE, *about("a"), expires_at="2026-03-06",
                    cause=Cause.INITIAL, reason="first answers")  # fmt: skip
    second = decided("2", Action.WAIVE, *about(*"abcdefghij"), expires_at="2026-02-20")
    third = decided("3", Action.REVERT, Target("", "", None, decision=first.id))
    lines = decisions_page([first, second, third], TODAY, 100).text.splitlines()
    assert [line.split(" · ")[0] for line in lines if " · ana" in line] == [
        "revert", "waive", "accept baseline",
    ]  # fmt: skip
    assert any("expired 2026-02-20" in line for line in lines)
    assert any("accept baseline · ana · 2026-02-01  reverted" in line for line in lines)
    assert "  initial: first answers" in lines
    assert "  a, b, c, d, e, f, g, h and 2 more" in lines


def test_no_decision_says_so() -> None:
    assert decisions_page([], TODAY, 80).text == "Nothing has been decided yet."
