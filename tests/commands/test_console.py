"""When a terminal gets colour, glyphs or a screen."""

from __future__ import annotations

import io

import pytest

from evaltui.commands.console import Style, on_terminal, style_for


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(variables: dict[str, str], colour: bool) -> None:
    assert style_for(Terminal(), plain=False, environment=variables) == Style(True, colour)
    assert style_for(io.StringIO(), plain=False, environment=variables) == Style(True, False)
    assert style_for(Terminal(), plain=True, environment=variables) == Style(False, False)


@pytest.mark.parametrize(
    ("ci", "plain", "variables", "opens"),
    [
        (False, False, {}, True),
        (True, False, {}, False),
        (False, True, {}, False),
        (False, False, {"CI": "true"}, False),
        (False, False, {"CI": "false"}, True),
        (False, False, {"TERM": "dumb"}, False),
    ],
)
def test_a_screen_opens_on_a_terminal_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, ci: bool, plain: bool, variables: dict[str, str], opens: bool
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    assert on_terminal(ci=ci, plain=plain) is opens
