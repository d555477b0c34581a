"""How findings are drawn (language specification 5.1)."""

from __future__ import annotations

import re

from evaltui.ulx.diagnostics import Problem, Rule, SourceFile
from evaltui.ulx.positions import line_and_column
from evaltui.ulx.report import draw
from evaltui.ulx.tree import Span


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def drawn(source: str, start: int, end: int, message: str = "oh") -> str:
    return plain(draw(SourceFile("f.ulx", source).error(said(message), Span(start, end))))


def said(message: str) -> Problem:
    return Problem(Rule.UNDEFINED, message, message)


def test_a_span_on_one_line() -> None:
    source = "conversation A() {\n  x = zed + 1\n}\n"
    assert drawn(source, 25, 28, "MESSAGE") == (
        "Error: MESSAGE\n"
        "   ╭─[f.ulx:2:7]\n"
        "   │\n"
        " 2 │   x = zed + 1\n"
        "   │       ─┬─  \n"
        "   │        ╰─── MESSAGE\n"
        "───╯\n"
    )


def test_a_span_over_several_lines() -> None:
    assert drawn("a {\n b\n c\n}", 0, 11) == (
        "Error: oh\n   ╭─[f.ulx:1:1]\n   │\n 1 │ ╭─▶ a {\n   ┆ ┆\n 4 │ ├─▶ }\n"
        "   │ │\n   │ ╰────── oh\n───╯\n"
    )


def test_the_end_of_the_input_is_on_the_last_line() -> None:
    assert "[f.ulx:1:20]" in drawn("conversation A() {\n", 19, 19)
    assert "[f.ulx:1:1]" in drawn("", 0, 0)


def test_bytes_are_taken_for_characters() -> None:
    assert "[f.ulx:1:5]" in drawn("éé x;", 4, 5)
    assert drawn("éé", 3, 4) == "Error: oh\n"
    assert "[f.ulx:1:1]" in drawn("éé", 9, 12)


def test_lines_end_where_unicode_says() -> None:
    assert "[f.ulx:3:1]" in drawn("a\r\nb\u2028c", 5, 6)


def test_tabs_are_widened_and_controls_made_visible() -> None:
    lines = drawn("\tx\x1b[31m", 1, 2).split("\n")
    assert lines[3] == " 1 │     x␛[31m"
    assert lines[4] == "   │     ┬  "


def test_warnings_differ_in_colour_only() -> None:
    file = SourceFile("f.ulx", "x")
    error, warning = [draw(make(said("oh"), Span(0, 1))) for make in (file.error, file.warning)]
    assert plain(error) == plain(warning) and "\x1b[33m" in warning and "\x1b[33m" not in error


def test_our_own_positions_count_characters() -> None:
    assert line_and_column("é\nüx", 5) == (2, 2)
