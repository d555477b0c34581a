"""Recorded behaviour of the reference, case by case, run in this process.

The behaviours in which we differ on purpose are not among the cases; ``test_differences`` has them.
"""

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

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/ulx-cases.jsonl").read_text("utf-8").split("\n")
    if line
]
ANSI = re.compile(r"\x1b\[[0-9;]*m")
EXPONENT = re.compile(r"(?<=[:\[, ])(-?\d[\d.]*)e\+(\d)")
KEY_VARIABLE = re.compile(r"_(API_KEY|TOKEN|SECRET)$|^(OPENAI|ANTHROPIC|GROQ|GEMINI|COHERE|AZURE)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no keys in the environment."""
    for name in os.environ:
        if KEY_VARIABLE.search(name) or name == "NO_COLOR":
            monkeypatch.delenv(name)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], folder: Path) -> None:
    for step in case["steps"]:
        for path, text in step["files"].items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
        before = snapshots(folder)
        out, err = io.StringIO(), io.StringIO()
        code = main(step["command"], out, err)
        stdout, stderr = (stream.getvalue().replace(str(folder), "@DIR@") for stream in (out, err))
        found = list(differences(step, stdout, stderr, code, folder))
        if case["family"] != "basic":
            found += unlisted(step, before, snapshots(folder))
        assert found == [], f"{case['why']}\n{stdout}\n{stderr}"


def differences(
    step: dict[str, Any], out: str, err: str, code: int, folder: Path
) -> Iterator[object]:
    plain_out, plain_err = ANSI.sub("", out), ANSI.sub("", err)
    if code != step["exit"]:
        yield "exit", step["exit"], code
    if step.get("stdout") is not None:
        if not same(step["stdout"], out):
            yield "stdout", step["stdout"]
    elif not mentions(plain_out + plain_err, step.get("stdout_ansi_stripped", "")):
        yield "diagnostic", step["stdout_ansi_stripped"]
    for key, text in (("stdout_contains", plain_out), ("stderr_contains", plain_err)):
        yield from ((key, part) for part in step.get(key, ()) if part not in text)
    for path, want in step.get("files_after", {}).items():
        target = folder / path
        if not target.is_file() or not same(want, target.read_bytes().decode("utf-8")):
            yield "file", path, want


def mentions(text: str, recorded: str) -> bool:
    """Whether the first recorded diagnostic is reported too."""
    first = next((line[7:] for line in recorded.splitlines() if line.startswith("Error: ")), "")
    return first.partition("[Simple {")[0] in text


def same(want: str, got: str) -> bool:
    """Equal texts; in JSON ``1e+16`` counts as ``1e16``."""
    return EXPONENT.sub(r"\1e\2", want) == EXPONENT.sub(r"\1e\2", got)


def snapshots(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if "snapshots" in path.relative_to(folder).parts[:-1]
    }


def unlisted(
    step: dict[str, Any], before: dict[str, bytes], after: dict[str, bytes]
) -> list[object]:
    """Snapshot files that changed although the record leaves them alone."""
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    return sorted(changed - step.get("files_after", {}).keys())
