"""The page about differences to ``ulx`` shows what really happens."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaltui.cli import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ulx-differences.md"
BOX = re.compile(r"```(\w+)(?: (\S+))?\n(.*?)```\n", re.DOTALL)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def boxes() -> Iterator[tuple[str, str, str]]:
    """Language, file name (may be empty) and content of every box of the page."""
    for match in BOX.finditer(PAGE.read_text(encoding="utf-8")):
        yield match[1], match[2] or "", match[3]


def commands(console: str) -> Iterator[tuple[str, list[str]]]:
    """Every command of a console box with the lines it should print."""
    for part in re.split(r"(?m)^\$ ", console)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a command prints on both streams, and how it ends when that is no success."""
    name, *arguments = shlex.split(command)
    if name == "cat":
        return Path(arguments[0]).read_text(encoding="utf-8").rstrip("\n").split("\n")
    code = run(arguments)
    said = capsys.readouterr()
    text = COLOUR.sub("", said.out + said.err).replace(os.path.realpath("."), "@DIR@")
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    return [*[line.rstrip() for line in lines], *([f"[exit {code}]"] if code else [])]


def fits(lines: list[str], wanted: list[str]) -> bool:
    """Whether ``lines`` are those ``wanted``, in which a line ``...`` stands for any others."""
    pattern = "\n".join("\0" if line == "..." else re.escape(line) for line in wanted)
    pattern = pattern.replace("\n\0\n", "\n(?:.*\n)*").replace("\0\n", "(?:.*\n)*")
    pattern = pattern.replace("\n\0", "(?:\n.*)*").replace(re.escape("{..."), ".*")
    return re.fullmatch(pattern, "\n".join(lines)) is not None


def test_every_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable in ("CI", "EVALTUI_NOW"):
        monkeypatch.delenv(variable, raising=False)
    wrong = []
    for language, name, content in boxes():
        if language != "console":
            Path(name).write_text(content, encoding="utf-8")
            continue
        for command, wanted in commands(content):
            lines = printed(command, capsys)
            if not fits(lines, wanted):
                wrong.append("\n".join([f"$ {command}", *lines]))
    assert not wrong, "\n\n".join(wrong)
