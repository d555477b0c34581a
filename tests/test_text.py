"""Text from outside is shown whole, on its own line, in its own column, and does nothing else."""

from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from evaltui.text import cells, clip, one_line, pad, safe

BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
NASTY = st.sampled_from(
    [
        *("\x1b[31m", "\x9b2J", "\x00", "\r\n", "\t", "\u202e", "\u2066", "\u200b"),
        *("\ud800", "\u0301", "漢", "é", "👨\u200d👩\u200d👧", "❤\ufe0f", "\U000e0041"),
        *("[/b] x", "שלום", "\u1161", "\ufeff"),
    ]
)
ANY = st.text(st.characters()) | st.lists(NASTY | st.text(max_size=5)).map("".join)


def _acts(character: str) -> bool:
    code = ord(character)
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or code in BIDI


@given(ANY)
def test_safe_text_holds_nothing_that_acts_on_a_terminal(text: str) -> None:
    assert not [c for c in safe(text) if _acts(c)]
    assert not [c for c in safe(text, newlines=True) if _acts(c) and c != "\n"]


def test_every_formatting_character_is_covered() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert not [hex(ord(c)) for c in safe(every) if _acts(c)]


@given(ANY, st.booleans())
def test_safe_text_stays_as_it_is_when_made_safe_again(text: str, newlines: bool) -> None:
    once = safe(text, newlines=newlines)
    assert safe(once, newlines=newlines) == once


@given(ANY)
def test_safe_text_can_be_encoded(text: str) -> None:
    assert safe(text).encode("utf-8").decode("utf-8") == safe(text)


@given(ANY, st.integers(0, 60))
def test_a_padded_cell_has_exactly_its_width(text: str, width: int) -> None:
    padded = pad(text, width)
    assert cell_len(padded) == width
    assert Strip([Segment(padded)]).cell_length == width


@given(ANY, st.integers(0, 60))
def test_a_clipped_cell_never_exceeds_its_width_and_says_when_it_was_cut(
    text: str, width: int
) -> None:
    clipped = clip(text, width)
    assert cells(clipped) <= width
    assert clipped == safe(text) or clipped.endswith("…") or width == 0


@given(ANY, st.integers(1, 60))
def test_one_line_has_no_line_break_and_keeps_to_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert not [c for c in line if _acts(c)]


@given(ANY)
def test_cells_agree_with_what_textual_draws(text: str) -> None:
    shown = safe(text)
    assert cells(shown) == Strip([Segment(shown)]).cell_length
    assert cells(shown) == sum(cell_len(c) for c in shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]8;;http://x\x07link", "␛]8;;http://x␇link"),
        ("a\x9b2Jb", "a\\x9b2Jb"),
        ("nul\x00 del\x7f", "nul␀ del␡"),
        ("a\tb\nc", "a␉b␊c"),
        ("abc\u202egpj.exe", "abc‹U+202E›gpj.exe"),
        ("pay\u200bload", "pay‹U+200B›load"),
        ("tag\U000e0041", "tag‹U+E0041›"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("[/b] x [red]y", "[/b] x [red]y"),
        ("שלום مرحبا 漢字", "שלום مرحبا 漢字"),
        ("I ❤\ufe0f it", "I ❤ it"),
        ("👩\u200d💻 wrote", "👩💻 wrote"),
        ("x\ufe0f", "x‹U+FE0F›"),
        ("\u0301a", "\u25cc\u0301a"),
        ("e\u0301", "e\u0301"),
    ],
)
def test_what_is_hidden_becomes_visible(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_line_feeds_are_kept_on_request() -> None:
    assert safe("one\r\ntwo\n\u0301", newlines=True) == "one␍\ntwo\n\u25cc\u0301"


def test_one_line_marks_breaks_and_cuts() -> None:
    assert one_line("one\r\ntwo\nthree", 40) == "one⏎two⏎three"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"
    assert one_line("漢字" * 300, 5) == "漢字漢字…"


def test_clip_never_halves_a_wide_character() -> None:
    assert clip("漢字漢字", 8) == "漢字漢字"
    assert clip("漢字漢字", 7) == "漢字漢…"
    assert clip("漢字漢字", 6) == "漢字…"
    assert pad("漢字漢字", 6) == "漢字… "
    assert clip("abc", 0) == ""


@pytest.mark.parametrize("unit", ["a", "漢", "\u0301", "\x1b", "👩\u200d💻"])
def test_a_line_of_a_megabyte_costs_a_cell_nothing(unit: str) -> None:
    line = unit * (1_000_000 // len(unit.encode()))
    began = time.perf_counter()
    for _ in range(20):
        pad(line, 40)
        one_line(line, 200)
    assert time.perf_counter() - began < 0.5
