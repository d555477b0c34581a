"""What is left of an act, a run or a screen that was killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk, MakeDesk, OnTerminal, WaitUntil

ACCEPT = Path(__file__).with_name("killed_accept.py")
KILL = Path(__file__).with_name("kill_and_resume.py")
RUNNER_ENDS_S = 2.0
SUITE = """
type Row = { id: text, text: text }
dataset Rows: list<Row> { from "rows.jsonl" }

conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  reply
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  snapshot reply as $.id
}
"""
POLICY = """
[providers.Desk]
vendor = "scripted"
chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
"""


@pytest.fixture(scope="module")
def undecided(make_desk: MakeDesk) -> Desk:
    """Three cases: one differs from its baseline, two have none."""
    desk = make_desk({"s.ulx": SUITE, "evaltui.toml": POLICY})
    desk.lines("rows.jsonl", [{"id": name, "text": name} for name in "abc"])
    desk.lines("answers.jsonl", [{"capability": "chat", "text": "old"}])
    assert desk.here("run", "s.ulx", "--ci").code == 1
    assert desk.here("accept", "a", "--reason", "good", "--reviewer", "ana").code == 0
    desk.lines("answers.jsonl", [{"capability": "chat", "text": "new"}])
    assert desk.here("run", "s.ulx", "--ci").code == 1
    return desk


@pytest.mark.parametrize(
    ("deadly", "last", "outcomes"),
    [
        (1, "intent", ["fail", "review", "review"]),
        (4, "baseline", ["fail", "review", "review"]),
        (5, "baseline", ["fail", "review", "review"]),
        (6, "decision", ["pass", "pass", "pass"]),
        (7, "mark", ["pass", "pass", "pass"]),
    ],
)
def test_an_accept_of_three_cases_is_there_whole_or_not_at_all(
    undecided: Desk, tmp_path: Path, deadly: int, last: str, outcomes: list[str]
) -> None:
    desk = undecided.copy(tmp_path / "project")
    died = subprocess.run(
        [sys.executable, "-P", str(ACCEPT), str(desk.folder), str(deadly)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert died.stdout.split()[-1] == last
    verified = desk.here("decisions", "verify")
    assert (verified.code, verified.out) == (0, "every decision holds\n"), verified
    assert "that was cut short" in verified.err
    assert [case["outcome"] for case in desk.here("review", "--json").json["cases"]] == outcomes
    fresh = desk.here("run", "s.ulx", "--ci", "--report", "json")
    assert [case["outcome"] for case in fresh.json["cases"]] == outcomes
    assert desk.here("baselines", "verify").code == 0


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_killed_screen_ends_its_runner_and_the_run_can_go_on(
    make_desk: MakeDesk, on_terminal: OnTerminal, wait_until: WaitUntil
) -> None:
    desk = make_desk({"s.ulx": SUITE, "evaltui.toml": POLICY})
    desk.lines("rows.jsonl", [{"id": f"c{n}", "text": f"t{n}"} for n in range(40)])
    desk.lines("answers.jsonl", [
        {"case": "c30", "capability": "chat", "text": "x", "delay_ms": 30_000},
        {"capability": "chat", "text": "x", "delay_ms": 5},
    ])  # fmt: skip
    with on_terminal(desk, "run", "s.ulx") as terminal:
        wait_until(lambda: b"39/40" in terminal.shown)
        runner = terminal.runner()
        assert runner is not None and lives(runner)
        os.kill(terminal.process.pid, signal.SIGKILL)
        wait_until(lambda: not lives(runner), RUNNER_ENDS_S)
    desk.lines("answers.jsonl", [{"capability": "chat", "text": "x"}])
    resumed = desk("run", "--resume", "--ci")
    assert "cases         40: 40 review; 40 to look at" in resumed.out, resumed


def test_a_run_killed_at_random_and_resumed_comes_to_the_same() -> None:
    kills = os.environ.get("EVALTUI_KILLS", "3")
    done = subprocess.run(
        [sys.executable, "-P", str(KILL), kills], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{kills} came to the same, 0 did not" in done.stdout
