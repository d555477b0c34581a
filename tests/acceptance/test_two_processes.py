"""Two processes on one project at once: nothing is lost, and what conflicts is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk, MakeDesk

COUNT = 40
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
WHY = ("--reason", "agreed")


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """A finished run of cases without baselines, while another one takes a second."""
    made = make_desk({"s.ulx": SUITE, "evaltui.toml": POLICY})
    made.variables["EVALTUI_REVIEWER"] = "ana"
    made.lines("rows.jsonl", [{"id": f"c{n}", "text": f"t{n}"} for n in range(COUNT)])
    made.lines("answers.jsonl", [{"capability": "chat", "text": "x"}])
    assert made.here("run", "s.ulx", "--ci").code == 1
    return made


def test_a_run_and_acts_leave_each_other_alone(desk: Desk) -> None:
    desk.lines("answers.jsonl", [{"capability": "chat", "text": "x", "delay_ms": 100}])
    running = desk.start("run", "s.ulx", "--ci", "--no-cache")
    assert running.stdout is not None
    running.stdout.readline()
    acts = [desk.here("accept", f"c{n}", "--run", "r1", *WHY) for n in range(3)]
    out, err = running.communicate(timeout=60)
    assert [act.code for act in acts] == [0, 0, 0], acts
    assert (running.returncode, err) == (1, "")
    assert f"cases         {COUNT}: {COUNT} review; {COUNT} to look at" in out, (
        "baselines and decisions are read once, when a run starts"
    )
    assert len(desk.decisions()) == 3
    assert desk.here("review", "--json").json["totals"]["pass"] == 3
    assert desk.here("decisions", "verify").code == 0


def test_acts_on_different_cases_at_once_are_all_there(desk: Desk) -> None:
    acts = [desk.start("accept", f"c{n}", *WHY) for n in range(4)]
    for act in acts:
        _, err = act.communicate(timeout=60)
        assert act.returncode == 0, err
    assert {one["targets"][0]["case_id"] for one in desk.decisions()} == {"c0", "c1", "c2", "c3"}
    assert desk.here("decisions", "verify").code == 0
    assert desk.here("run", "s.ulx", "--ci", "--report", "json").json["totals"]["pass"] == 4


def test_of_two_acts_on_one_case_one_stands_and_the_other_is_told(desk: Desk) -> None:
    acts = [desk.start("accept", "c0", *WHY) for _ in range(3)]
    said = [act.communicate(timeout=60) for act in acts]
    codes = [act.returncode for act in acts]
    assert sorted(codes) == [0, 1, 1], said
    assert len(desk.decisions()) == 1
    for code, (out, err) in zip(codes, said, strict=True):
        assert code == 0 or "c0" in out + err
    assert desk.here("decisions", "verify").code == 0
    assert desk.here("baselines", "verify").code == 0


def test_two_branches_that_decided_differently_are_a_conflict_until_somebody_picks(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    branch = desk.copy(tmp_path_factory.mktemp("branch") / "project")
    branch.lines("answers.jsonl", [{"capability": "chat", "text": "y"}])
    branch.here("run", "s.ulx", "--ci", "--no-cache")
    for one in (desk, branch):
        assert one.here("accept", "c0", *WHY).code == 0
    for path in (branch.folder / "decisions").rglob("*.json"):
        there = desk.folder / path.relative_to(branch.folder)
        there.write_bytes(path.read_bytes())
    assert desk.here("decisions", "verify").code == 1
    said = desk.here("run", "s.ulx", "--ci", "--report", "json")
    assert (said.code, said.json["cases"][0]["gates"]) == (1, ["conflict"])
    assert desk.here("accept", "c0", "--cause", "other", *WHY).code == 0
    said = desk.here("run", "s.ulx", "--ci", "--report", "json")
    assert said.json["cases"][0]["outcome"] == "pass"
    assert desk.here("decisions", "verify").code == 0
