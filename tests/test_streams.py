"""The standard streams: closed, full, or left by their reader; and what the exit code then says."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import UlxProject

EVALTUI = f"{shlex.quote(sys.executable)} -P -m evaltui"
FAILING = {"judge": "Kind", "verdict": "FAIL: rude"}


@pytest.fixture
def red(project: UlxProject) -> UlxProject:
    """A project whose run fails its gate, with more lines than a pipe holds."""
    project.rows(*({"id": f"case-{n}", "text": "t"} for n in range(1500)))
    project.answers({"capability": "chat", "text": "x"}, FAILING)
    return project


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    return subprocess.run(
        ["bash", "-c", script.replace("evaltui", EVALTUI, 1)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_reader_that_leaves_changes_neither_verdict_nor_reports(red: UlxProject) -> None:
    run = "evaltui run s.ulx --ci --report json:r.json | head -1; exit ${PIPESTATUS[0]}"
    done = shell(red.folder, run)
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads((red.folder / "r.json").read_text())["totals"]["fail"] == 1500


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_error(project: UlxProject, closed: str) -> None:
    done = shell(project.folder, f"evaltui run s.ulx --ci --report json:r.json {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((project.folder / "r.json").read_text())["totals"]["pass"] == 2


def test_no_file_takes_the_place_of_a_closed_stream(project: UlxProject) -> None:
    shell(project.folder, "evaltui run s.ulx --ci >&- 2>&- <&-")
    store = project.folder / ".evaltui" / "trace.db"
    assert store.read_bytes().startswith(b"SQLite format 3\0")
    assert shell(project.folder, "evaltui show").returncode == 0


@pytest.mark.parametrize("words", ["run s.ulx --ci --report json:r.json", "--help"])
def test_output_that_cannot_be_written_is_one_line_and_no_success(
    project: UlxProject, words: str
) -> None:
    done = shell(project.folder, f"evaltui {words} >/dev/full")
    assert done.returncode == 2
    assert done.stderr == (
        "evaltui: error: cannot write to the standard output: No space left on device\n"
    )
    if words.startswith("run"):
        assert (project.folder / "r.json").exists(), "the other reports are written"
