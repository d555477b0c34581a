"""A project that one run has written is accepted unchanged by the next, wherever it lies."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.ulx.cli import main

SUITE = '''
import judge Kind from "lib/judges.ulx"
dataset Rows: [{id: text, text: text}] { from "rows.jsonl" }

conversation Reply(text: text) -> text {
  user: @prompts/reply.txt
  assistant -> reply
  reply
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  expect reply satisfies judge Kind(reply)
  snapshot reply as """reply/{$.id}"""
  snapshot {length: reply.length, ratio: 1 / 11.0, words: list<text>("a", $.text)} as """é {$.id}"""
  snapshot judge Kind($.text) as $.id
}
'''
ROWS = ({"id": "a", "text": "one"}, {"id": "b/ü", "text": "twö"}, {"id": "", "text": "\u202e"})
BAD = {"id": "c", "text": "MOCK_JUDGE_FAIL"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture(params=["Replies", "Failing"])
def benchmark(request: pytest.FixtureRequest) -> str:
    """One whose rows pass, one with a row that fails."""
    name: str = request.param
    return name


@pytest.fixture
def written(tmp_path: Path, benchmark: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which ``ulx bench`` ran once."""
    folder = tmp_path / "first place"
    rows = [*ROWS, *([BAD] if benchmark == "Failing" else [])]
    for name, text in {
        "suite.ulx": SUITE.replace("benchmark Replies", f"benchmark {benchmark}"),
        "lib/judges.ulx": 'judge Kind(reply: text) -> Verdict { rubric: """Is it kind?""" }',
        "prompts/reply.txt": "Answer {text}\n",
        "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "evaltui.toml": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    bench(benchmark)
    return folder


def bench(benchmark: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(["bench", "suite.ulx", benchmark, "--mock"], out, err)
    return code, out.getvalue(), err.getvalue()


def content(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def kept(folder: Path) -> dict[str, bytes]:
    """Everything but the traces and manifests, which each run adds to."""
    return {
        name: found
        for name, found in content(folder).items()
        if not name.startswith((".ulexite/traces", ".ulexite/runs"))
    }


def test_a_copy_elsewhere_answers_the_same_and_changes_nothing(
    written: Path, benchmark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept(written)
    again = bench(benchmark)
    assert again[0] == int(benchmark == "Failing")
    copy = tmp_path / "other" / "plàce"
    shutil.copytree(written, copy)
    monkeypatch.chdir(copy)
    assert bench(benchmark) == again
    assert kept(copy) == kept(written) == before
    assert sum(name.startswith("snapshots/") for name in before) == 3 * len(written_rows(written))


def written_rows(folder: Path) -> list[str]:
    return (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_copy_without_its_cache_answers_the_same(
    written: Path, benchmark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = bench(benchmark)
    copy = tmp_path / "clone"
    shutil.copytree(written, copy, ignore=shutil.ignore_patterns(".ulexite"))
    before = kept(copy)
    monkeypatch.chdir(copy)
    assert bench(benchmark) == again
    assert {n: b for n, b in kept(copy).items() if not n.startswith(".ulexite")} == before


def test_runs_left_waiting_can_be_answered_in_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "w.ulx").write_text(
        'conversation W() -> text { y = escalate(boss, reason: "look") y }'
    )
    monkeypatch.chdir(folder)
    out, err = io.StringIO(), io.StringIO()
    assert main(["run", "w.ulx", "W", "--mock", "--run-id", "w"], out, err) == 1
    shutil.move(folder, tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    out = io.StringIO()
    assert main(["approve", "w", "--mock", "--value", "fine", "--output", "plain"], out, err) == 0
    assert out.getvalue().endswith("\nfine\n")


def test_evaltui_runs_the_project_as_soon_as_its_baselines_are_adopted(
    written: Path, benchmark: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {n: b for n, b in content(written).items() if n.startswith("snapshots/")}
    words = ["run", "suite.ulx", "--ci", "--mock", "--benchmark", benchmark]
    assert run(words) == 1
    assert (
        run(["baselines", "adopt", ".", "--reviewer", "ada", "--reason", "signed off with ulx"])
        == 0
    )
    capsys.readouterr()
    code = run(words)
    said = capsys.readouterr().out
    assert code == int(benchmark == "Failing")
    assert said.count("✓ pass") == len(ROWS)
    assert said.count("✗ fail") == int(benchmark == "Failing")
    after = content(written)
    assert {n: b for n, b in after.items() if n.startswith("snapshots/")} == before
    assert bench(benchmark)[0] == code
