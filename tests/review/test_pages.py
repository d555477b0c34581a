"""Pages fit their width, whatever they hold."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.review.pages import PageWriter
from evaltui.review.spans import Role, Span, cut_line, line, plain_text, width_of, wrap
from evaltui.review.text_diff import diff_texts

TEXTS = st.text(max_size=120) | st.sampled_from(
    ["漢字テスト " * 9, "a" * 300, "שלום עולם " * 9, "e\u0301" * 90, "\x1b[31m[/b] x"]
)


@given(TEXTS, st.integers(2, 90))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    spans = line(text)
    parts = wrap(spans, width)
    assert all(width_of(part) <= width for part in parts)
    joined = "".join(plain_text(part) for part in parts)
    assert "".join(joined.split()) == "".join(plain_text(spans).split())


@given(TEXTS, TEXTS, st.integers(0, 30))
def test_a_cut_line_fits(first: str, second: str, width: int) -> None:
    assert width_of(cut_line((*line(first), *line(second)), width)) <= width


@settings(max_examples=50, deadline=None)
@given(TEXTS, TEXTS, st.integers(12, 130), st.booleans())
def test_no_line_of_a_page_is_wider_than_the_page(
    old: str, new: str, width: int, beside: bool
) -> None:
    writer = PageWriter(width, side_by_side=beside)
    writer.heading(old, new)
    writer.text(old)
    writer.field(new, old, 10)
    writer.pair(diff_texts(old, new), "old", "new")
    page = writer.page()
    assert all(width_of(part) <= width for part in page.lines)
    assert all(0 <= number < len(page.lines) for number in page.changes)


def test_old_and_current_stand_beside_each_other_or_one_above_the_other() -> None:
    rows = diff_texts("It ships Monday\nBye", "It ships Friday\nBye")
    wide, narrow = PageWriter(60, side_by_side=True), PageWriter(60, side_by_side=False)
    wide.pair(rows, "accepted by ana", "current")
    narrow.pair(rows, "accepted by ana", "current")
    assert wide.page().text.splitlines() == [
        "accepted by ana              │ current",
        "- It ships Monday            │ + It ships Friday",
        "  Bye                        │   Bye",
    ]
    assert narrow.page().text.splitlines() == [
        "- accepted by ana",
        "+ current",
        "- It ships Monday",
        "+ It ships Friday",
        "  Bye",
    ]


def test_neighbouring_changed_lines_are_one_change() -> None:
    writer = PageWriter(80, side_by_side=True)
    writer.pair(diff_texts("a\nb\nsame\nc", "x\ny\nsame\nz"), "old", "new")
    assert len(writer.page().changes) == 2


def test_roles_survive_wrapping() -> None:
    parts = wrap((Span("one two ", Role.OLD), Span("three", Role.OLD_WORD)), 8)
    assert [span.role for part in parts for span in part if span.text == "three"] == [Role.OLD_WORD]
