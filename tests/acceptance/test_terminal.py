"""A run on a real terminal: what is left when the screen is gone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evaltui import demo

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk, OnTerminal, WaitUntil

_SEQUENCE = re.compile(r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\r")


def left_behind(shown: str) -> str:
    """What was printed once the alternate screen was left."""
    return _SEQUENCE.sub("", shown.rpartition("\x1b[?1049l")[2])


@pytest.mark.parametrize("words", [("run", demo.SUITE), ("review",)])
def test_leaving_prints_the_summary_the_exit_code_and_the_ci_line(
    evaltui_demo: Desk, on_terminal: OnTerminal, wait_until: WaitUntil, words: tuple[str, ...]
) -> None:
    if words == ("review",):
        assert evaltui_demo.here("run", demo.SUITE, "--ci").code == 3
    with on_terminal(evaltui_demo, *words) as terminal:
        wait_until(lambda: b"17 red" in terminal.shown)
        wait_until(lambda: b"running" not in terminal.shown[-2000:])
        code, shown = terminal.leave()
    printed = left_behind(shown)
    assert code == 3
    assert "cases         41: 24 pass, 8 fail, 5 review, 2 error, 2 suspended; 17 to look at" in (
        printed
    )
    assert "exit          3" in printed
    assert "in CI         evaltui run support.ulx --ci" in printed
    assert evaltui_demo.here("run", demo.SUITE, "--ci").code == code
