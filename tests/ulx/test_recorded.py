"""What the reference was seen to do with small programs, replayed in this process."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaltui.ulx.cli import main

HERE = Path(__file__).parent
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_EXPECTED = " but expected one of: "


def _cases(name: str) -> list[dict[str, Any]]:
    lines = (HERE / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def _run_step(step: dict[str, Any], folder: Path) -> list[str]:
    """Run one step in ``folder``, the current directory; returns what differs from the record."""
    for path, text in step["files"].items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    out, err = io.StringIO(), io.StringIO()
    code = main(step["command"], out, err)
    stdout, stderr = [_plain(stream.getvalue(), folder) for stream in (out, err)]
    problems = [] if code == step["exit"] else [f"exit code {code}: {stdout}{stderr}"]
    return problems + _differing_texts(step, stdout, stderr) + _differing_files(step, folder)


def _plain(text: str, folder: Path) -> str:
    return _COLOUR.sub("", text).replace(os.path.realpath(folder), "@DIR@")


def _differing_texts(step: dict[str, Any], stdout: str, stderr: str) -> list[str]:
    problems = []
    if step.get("stdout") is not None and step["stdout"] != stdout:
        problems.append(f"stdout {stdout!r}")
    if step.get("stdout") is None:
        drawn = step.get("stdout_ansi_stripped", "").split("\n")
        errors = [line.removeprefix("Error: ") for line in drawn if line.startswith("Error: ")]
        problems += _missing(errors[:1], stdout)
    problems += _missing(step.get("any_contains", []), stdout + stderr)
    problems += _missing(step.get("stdout_contains", []), stdout)
    return problems + _missing(step.get("stderr_contains", []), stderr)


def _missing(wanted: list[str], text: str) -> list[str]:
    known = {_as_set(line) for line in text.split("\n")}
    heads = [part.partition("[Simple {")[0] for part in wanted]
    return [
        f"no {part!r} in {text!r}"
        for part in heads
        if part not in text and _as_set(f"Error: {part}") not in known
    ]


def _as_set(line: str) -> tuple[str, frozenset[str]]:
    head, _, tokens = line.partition(_EXPECTED)
    return head, frozenset(tokens.split(", "))


def _differing_files(step: dict[str, Any], folder: Path) -> list[str]:
    problems = []
    for path, text in (step.get("files_after") or {}).items():
        target = folder / path
        got = target.read_bytes().decode() if target.is_file() else None
        if got != text:
            problems.append(f"file {path}: {got!r}")
    return problems


def _recorded(name: str) -> Iterator[Any]:
    for case in _cases(name):
        yield pytest.param(case["steps"], id=case["name"])


@pytest.mark.parametrize(
    "steps", [*_recorded("language-cases.jsonl"), *_recorded("command-cases.jsonl")]
)
def test_a_recorded_case_is_answered_as_the_reference_did(
    steps: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [_run_step(step, tmp_path) for step in steps] == [[] for _ in steps]


def _placed() -> Iterator[Any]:
    for case in _cases("language-cases.jsonl"):
        for step in case["steps"]:
            if "at" in step:
                yield pytest.param(step, id=case["name"])


@pytest.mark.parametrize("step", list(_placed()))
def test_a_problem_is_reported_where_the_reference_reports_it(
    step: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in step["files"].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    out = io.StringIO()
    main(step["command"], out, io.StringIO())
    assert f":{step['at']}]" in _plain(out.getvalue(), tmp_path)
