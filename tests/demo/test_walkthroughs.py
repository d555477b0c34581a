"""What the documentation shows on a command line is what happens."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaltui import demo
from evaltui.cli import run
from evaltui.clock import Ids, system_clock

ROOT = Path(__file__).resolve().parents[2]


def steps(page: str) -> Iterator[tuple[str, list[str]]]:
    """Each ``$`` line of the console blocks of a page, with the lines it prints."""
    for block in re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = step.rstrip("\n").split("\n")
            yield command, printed


def holds_in_order(printed: str, wanted: list[str]) -> bool:
    lines = iter(printed.splitlines())
    return all(any(line == wish for line in lines) for wish in wanted if wish)


def follow(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Run the ``evaltui`` commands of a page here; answers those that were run."""
    done = []
    for command, wanted in steps(page):
        if "evaltui " not in command or "demo" in command or command.startswith("env "):
            continue
        monkeypatch.delenv("EVALTUI_NOW", raising=False)
        if days := re.match(r'EVALTUI_NOW=\$\(date -d "\+(\d+) days" \+%F\) ', command):
            later = datetime.now(UTC) + timedelta(days=int(days[1]))
            monkeypatch.setenv("EVALTUI_NOW", f"{later:%Y-%m-%d}")
        words = shlex.split(command.split(" | ")[0].partition("evaltui ")[2])
        with contextlib.redirect_stderr(sys.stdout):
            run(words)
        printed = capsys.readouterr().out
        assert holds_in_order(printed, wanted), f"{command}\n{printed}"
        done.append(words[0])
    return done


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("EVALTUI_REVIEWER", "demo")


def test_the_demo_is_triaged_on_the_command_line_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = demo.prepare(tmp_path / "evaltui-demo", system_clock(), Ids()).parent
    answers = folder / "answers.jsonl"
    lines = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    answers.write_text(
        "".join(json.dumps({**line, "delay_ms": 0}) + "\n" for line in lines), "utf-8"
    )
    monkeypatch.chdir(folder)
    run(["run", demo.SUITE, "--ci"])
    done = follow("docs/triage.md", monkeypatch, capsys)
    assert len(done) == 13


def test_the_first_benchmark_goes_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hello = ROOT / "fixtures" / "hello"
    shutil.copytree(hello, tmp_path / "hello", ignore=shutil.ignore_patterns(".evaltui"))
    monkeypatch.chdir(tmp_path / "hello")
    assert follow("README.md", monkeypatch, capsys) == ["run", "accept", "run"]
