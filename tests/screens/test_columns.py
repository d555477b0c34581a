"""How the columns of the table share the width."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.models import CaseSummary, Outcome
from evaltui.review.formats import cost_text, duration_text
from evaltui.screens.columns import COLUMNS, GUTTER, change_text, lay_out, outcome_text
from evaltui.text import cells


@given(st.integers(0, 400))
def test_columns_never_overlap_nor_leave_the_table(width: int) -> None:
    end = 0
    for placed in lay_out(width):
        assert placed.start >= end
        end = placed.start + placed.width
    assert end <= max(width, GUTTER + 2)


@pytest.mark.parametrize("width", [79, 119, 199])
def test_a_table_fills_its_width(width: int) -> None:
    last = lay_out(width)[-1]
    assert last.start + last.width == width


def test_a_wide_table_shows_every_column_and_a_narrow_one_the_important_ones() -> None:
    assert [placed.column for placed in lay_out(199)] == list(COLUMNS)
    names = [placed.column.name for placed in lay_out(79)]
    assert names == ["outcome", "case", "slices", "check", "change", "decision"]
    assert [placed.column.name for placed in lay_out(20)] == ["outcome", "case"]


@given(st.text(max_size=60), st.integers(20, 220))
def test_any_text_fills_exactly_its_cells(text: str, width: int) -> None:
    for placed in lay_out(width):
        assert cells(placed.fit(text)) == placed.width


def test_outcomes_have_a_glyph_and_a_word() -> None:
    texts = {outcome_text(CaseSummary(0, 0, "a", outcome)) for outcome in Outcome}
    assert len({text[0] for text in texts}) == len(Outcome)
    assert outcome_text(CaseSummary(0, 0, "a", Outcome.FAIL, waived=True)) == "✗ fail waived"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, ""),
        (0.2, "<1 ms"),
        (7, "7 ms"),
        (1234, "1.2 s"),
        (59_960, "1m00s"),
        (7_500_000, "2h05m"),
    ],
)
def test_durations(milliseconds: float, text: str) -> None:
    assert duration_text(milliseconds) == text


def test_a_message_stands_for_the_change_without_repeating_the_check() -> None:
    row = CaseSummary(0, 0, "a", Outcome.REVIEW, message="snapshot `a`: nobody signed its baseline")
    assert change_text(row) == "nobody signed its baseline"
    assert change_text(CaseSummary(0, 0, "a", Outcome.FAIL, change="+0.1", message="x")) == "+0.1"


def test_costs_keep_the_digits_that_matter() -> None:
    assert cost_text(None) == cost_text(Decimal(0)) == ""
    assert cost_text(Decimal("0.00123")) == "$0.0012"
    assert cost_text(Decimal("12.3")) == "$12.30"
