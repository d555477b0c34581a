"""How the commands of ``evaltui ulx`` are called: help, mistakes, interruptions, questions."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from evaltui.engine import ulx_commands
from evaltui.ulx.cli import COMMANDS, main

WAITS = """
conversation Twice() -> text {
  first = escalate(boss, reason: "first")
  second = escalate(boss, reason: "second")
  first
}
"""
QUESTION = "[a]pprove, [d]eny, or [q]uit (leave suspended)? "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("wait.ulx").write_text(WAITS)
    return tmp_path


def ulx(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(arguments, out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("command", [*COMMANDS, "eval calibrate"])
def test_every_command_has_help(command: str) -> None:
    code, out, err = ulx(*command.split(), "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: evaltui ulx {command} [-h]")
    assert ulx(*command.split(), "-h") == (code, out, err)


def test_the_help_names_every_command() -> None:
    for arguments in (["--help"], ["-h"]):
        code, out, err = ulx(*arguments)
        assert (code, err) == (0, "") and all(f"    {name} " in out for name in COMMANDS)
    code, out, err = ulx()
    assert (code, out) == (2, "") and all(f"    {name} " in err for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("bensh a.ulx B", "invalid choice: 'bensh'"),
        ("debug r", "invalid choice: 'debug'"),
        ("--no-such-flag", "required: COMMAND"),
        ("bench a.ulx", "required: BENCHMARK"),
        ("bench a.ulx B --mock --provider P", "not allowed with"),
        ("bench a.ulx B --no-cache", "unrecognized arguments: --no-cache"),
        ("run a.ulx C --output xml", "invalid choice: 'xml'"),
        ("run a.ulx C --run-id a --run-id b", "cannot be used multiple times"),
        ("run a.ulx C --arg", "expected one argument"),
        ("plan a.ulx C --mock", "unrecognized arguments: --mock"),
        ("eval", "required: COMMAND"),
        ("eval calibrate a.ulx D", "required: JUDGE"),
        ("eval calibrate a.ulx D J --threshold high", "invalid float value: 'high'"),
        ("approve", "required: RUN_ID"),
        ("fmt a.ulx --chec", "unrecognized arguments: --chec"),
    ],
)
def test_a_command_line_that_does_not_fit_is_refused(arguments: str, said: str) -> None:
    code, out, err = ulx(*arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("usage: evaltui ulx") and said in err


def test_an_interruption_ends_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(ulx_commands, "bench", interrupted)
    assert ulx("bench", "wait.ulx", "B", "--mock") == (130, "", "error: interrupted\n")


def interactive(answers: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    words = ("run", "wait.ulx", "Twice", "--mock", "--run-id", "w", "--interactive")
    return ulx(*words, "--output", "json")


def test_each_question_of_an_interactive_run_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = interactive("maybe\na\n\nd\nno good\n", monkeypatch)
    assert code == 0
    assert (
        out
        == (
            "escalate boss: first (suspended)\n"
            "suspended: waiting on `boss` — first\n"
            f'{QUESTION}please answer a/d/q (got "maybe")\n'
            f'{QUESTION}value (default "approved"): escalate boss: first => approved\n'
            "escalate boss: second (suspended)\n"
            "suspended: waiting on `boss` — second\n"
            f"{QUESTION}note (optional): escalate boss: first => approved\n"
            'escalate boss: second => Fail("no good")\n'
            "approved\n"
        )
        or 'got "A"' in out
    )
    assert "status        ok" in err


@pytest.mark.parametrize("answers", ["q\n", "", "what\n", "quit\n"])
def test_an_interactive_run_can_be_left_waiting(
    answers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = interactive(answers, monkeypatch)
    assert (code, err) == (1, "")
    assert out.endswith(
        "suspended: waiting on `boss` — first\n"
        "run id: w\n"
        "resume with: ulx approve w --value <text>   (or: ulx deny w)\n"
    )
    assert ulx("approve", "w", "--mock", "--output", "plain")[0] == 1
    assert ulx("approve", "w", "--mock", "--output", "plain")[1].endswith("\napproved\n")
