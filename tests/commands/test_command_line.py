"""The command line as a whole: which commands there are, and what a mistyped one says."""

from __future__ import annotations

import pytest
import typer

from evaltui.cli import run
from evaltui.commands import build
from evaltui.errors import ExitCode


@pytest.mark.parametrize("word", ["run", "demo", "review"])
def test_a_command_that_is_loaded_alone_is_the_one_of_the_whole(word: str) -> None:
    alone, whole = (typer.main.get_group(app).commands[word] for app in (build(word), build()))

    assert alone.help == whole.help
    assert [one.name for one in alone.params] == [one.name for one in whole.params]


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == ExitCode.USAGE

    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Usage: evaltui [OPTIONS] COMMAND [ARGS]..."
    assert any(line.startswith("  baselines ") for line in lines)


def test_a_mistyped_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reviw"]) == ExitCode.USAGE
    assert "No such command 'reviw'. Did you mean 'review'" in capsys.readouterr().err
