"""Deciding, looking back and verifying from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.commands.conftest import Evaltui
    from tests.conftest import UlxProject

CHAT = {"capability": "chat", "text": "hi"}
PASS = {"judge": "Kind", "verdict": "PASS"}
WHY = ("--reason", "agreed in the meeting")


@pytest.fixture
def with_snapshots(project: UlxProject) -> UlxProject:
    """The project with a snapshot of every reply instead of a judge."""
    text = project.suite.read_text()
    project.write(
        "s.ulx",
        text.replace("expect reply satisfies judge Kind(reply)", "snapshot reply as $.id"),
    )
    return project


def escalating(project: UlxProject) -> None:
    project.write(
        "s.ulx",
        project.suite.read_text().replace(
            "  reply\n}", '  escalate(boss, text: text, reason: "too dear")\n}'
        ),
    )


def test_a_new_value_is_accepted_and_the_next_run_passes(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    assert evaltui("run", "s.ulx", "--ci").code == 1
    said = evaltui("accept", "a", "b", *WHY)
    assert (said.code, said.out) == (0, "2 cases accepted\n")
    assert len(list(Path("snapshots/Replies").iterdir())) == 2
    assert evaltui("run", "s.ulx", "--ci").code == 0
    listed = evaltui("baselines", "list", "--json").json
    assert [(one["check"], one["custody"], one["reviewer"]) for one in listed] == [
        ("snapshot:a", "accepted", "ana"),
        ("snapshot:b", "accepted", "ana"),
    ]


def test_an_acceptance_ends_with_its_day(
    evaltui: Evaltui, with_snapshots: UlxProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY, "--expires", "2026-03-10")
    monkeypatch.setenv("EVALTUI_NOW", "2026-03-10")
    assert evaltui("run", "s.ulx", "--ci").code == 0
    monkeypatch.setenv("EVALTUI_NOW", "2026-03-11")
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 1
    assert "expired: 2 cases" in said.out
    ended = evaltui("baselines", "expiring", "--json")
    assert ended.code == 1
    assert [one["days_left"] for one in ended.json] == [-1, -1]
    assert evaltui("renew", "a", "b", *WHY, "--expires", "30d").code == 0
    assert evaltui("run", "s.ulx", "--ci").code == 0


def test_a_fresh_clone_without_a_store_agrees(
    evaltui: Evaltui, with_snapshots: UlxProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVALTUI_NOW")
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", *WHY)
    here = evaltui("run", "s.ulx", "--ci", "--report", "json").json
    import shutil

    shutil.rmtree(".evaltui")
    monkeypatch.setenv("CI", "true")
    there = evaltui("run", "s.ulx", "--ci", "--report", "json")
    assert there.code == 1
    assert [case["outcome"] for case in there.json["cases"]] == [
        case["outcome"] for case in here["cases"]
    ]


def test_what_cannot_be_accepted_is_refused_with_the_way_out(
    evaltui: Evaltui, project: UlxProject
) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "FAIL: rude"})
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("accept", "a", *WHY)
    assert said.code == 1
    assert said.out.startswith("a cannot be accepted: ")
    assert evaltui("decisions", "list", "--json").json == []


def test_part_of_an_act_can_be_refused(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    with_snapshots.answers({"case": "a", "timeout": True}, CHAT)
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("accept", "--filter", "!id:none", *WHY)
    assert said.code == 1
    assert "a: " in said.out
    assert [one["case_id"] for one in evaltui("baselines", "list", "--json").json] == ["b"]


def test_nothing_is_written_by_looking_ahead(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("accept", "a", "--dry-run", "--json")
    assert said.code == 0
    assert said.json["cases"] == ["a"]
    assert not Path("decisions").exists()


def test_a_failure_is_waived_until_a_day(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "FAIL: rude"})
    evaltui("run", "s.ulx", "--ci")
    assert evaltui("waive", "a", "b", *WHY, "--expires", "7d").code == 0
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 0
    assert "2: 2 fail; 2 waived; 0 to look at" in said.out
    assert "pass rate     0.0% (0 of 2)" in said.out


def test_a_waiver_can_be_taken_back(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "FAIL: rude"})
    evaltui("run", "s.ulx", "--ci")
    evaltui("waive", "a", "b", *WHY)
    assert evaltui("revert", "a", *WHY).code == 0
    assert evaltui("run", "s.ulx", "--ci").code == 1
    actions = [one["action"] for one in evaltui("decisions", "list", "--json").json]
    assert sorted(actions) == ["revert", "waive"]


def test_an_approved_case_runs_on_in_its_run(evaltui: Evaltui, project: UlxProject) -> None:
    escalating(project)
    waiting = evaltui("run", "s.ulx", "--ci")
    assert waiting.code == 1
    assert "◷ suspended a  waiting on boss: too dear" in waiting.out
    said = evaltui("approve", "a", "b", "--value", "go ahead", *WHY)
    assert said.code == 0
    assert "evaltui run --resume r1" in said.err
    resumed = evaltui("run", "--resume", "--ci")
    assert resumed.code == 0
    assert evaltui("runs", "list", "--json").json[0]["counts"] == {"pass": 2}
    assert evaltui("run", "s.ulx", "--ci").code == 0, "an answer until a day holds in new runs"


def test_a_case_waits_again_when_its_answer_is_taken_back(
    evaltui: Evaltui, project: UlxProject
) -> None:
    escalating(project)
    evaltui("run", "s.ulx", "--ci")
    evaltui("approve", "a", "b", "--value", "go ahead", *WHY)
    assert evaltui("run", "--resume", "--ci").code == 0
    assert evaltui("revert", "a", *WHY).code == 0
    reviewed = evaltui("review", "r1", "--ci")
    assert reviewed.code == evaltui("run", "s.ulx", "--ci").code == 1
    assert "suspended a  waiting on boss: too dear" in evaltui("run", "s.ulx", "--ci").out
    assert "suspended: 1 case" in reviewed.out
    again = evaltui("approve", "a", "--run", "r1", "--value", "go ahead", *WHY)
    assert (again.code, "--resume" in again.err) == (0, False), "it went on that way already"
    assert evaltui("review", "r1", "--ci").code == 0


def test_another_answer_lets_the_case_run_again(evaltui: Evaltui, project: UlxProject) -> None:
    escalating(project)
    evaltui("run", "s.ulx", "--ci")
    evaltui("approve", "a", "b", "--value", "go ahead", *WHY)
    evaltui("run", "--resume", "--ci")
    evaltui("revert", "a", *WHY)
    assert "--resume r1" in evaltui("approve", "a", "--value", "wait a week", *WHY).err
    assert evaltui("run", "--resume", "--ci").code == 0
    said = evaltui("show", "a", "--json").json[0]
    assert "wait a week" in said["result"]["output"]


def test_an_answer_for_once_holds_for_its_run_only(evaltui: Evaltui, project: UlxProject) -> None:
    escalating(project)
    evaltui("run", "s.ulx", "--ci")
    evaltui("approve", "a", "b", "--once", *WHY)
    assert evaltui("run", "--resume", "--ci").code == 0
    assert evaltui("run", "s.ulx", "--ci").code == 1


def test_a_denied_case_goes_on_with_a_fail_or_stops(evaltui: Evaltui, project: UlxProject) -> None:
    escalating(project)
    project.answers(CHAT, {"judge": "Kind", "subject": "Fail", "verdict": "PASS"})
    evaltui("run", "s.ulx", "--ci")
    evaltui("deny", "a", "--note", "no", *WHY)
    evaltui("deny", "b", "--note", "no", "--stop", *WHY)
    said = evaltui("run", "--resume", "--ci", "--report", "json")
    case_a, case_b = said.json["cases"]
    assert case_a["outcome"] != "suspended"
    assert (case_b["outcome"], case_b["denied"]) == ("fail", "denied: no")


def test_an_undecided_judge_asks_a_person(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "ESCALATE"})
    said = evaltui("run", "s.ulx", "--ci")
    assert "◷ suspended a  waiting on judge:Kind: judge could not decide" in said.out
    evaltui("approve", "a", *WHY)
    evaltui("deny", "b", "--note", "too long", *WHY)
    resumed = evaltui("run", "--resume", "--ci", "--report", "json")
    assert [case["outcome"] for case in resumed.json["cases"]] == ["pass", "fail"]


def test_a_score_may_move_within_a_widened_tolerance(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "SCORE: 0.90"})
    evaltui("run", "s.ulx", "--ci")
    for case in ("a", "b"):
        assert evaltui("accept", case, "--check", "expect#1", *WHY).code == 0
    project.answers(CHAT, {"judge": "Kind", "verdict": "SCORE: 0.84"})
    assert evaltui("run", "s.ulx", "--ci").code == 1
    said = evaltui("widen", "a", "b", "--tolerance", "0.06", *WHY)
    assert said.code == 0
    wide = evaltui("run", "s.ulx", "--ci", "--report", "json")
    assert wide.code == 0
    assert wide.json["totals"]["pass_rate"] == "100.0% (2 of 2)"
    assert wide.json["totals"]["pass_rate_by_policy"] == "0.0% (0 of 2)"


def test_notes_and_blocks_are_decided_by_name(evaltui: Evaltui, project: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    assert evaltui("decide", "annotate", "a", "--note", "odd").code == 0
    assert evaltui("decide", "block_release", "a", *WHY).code == 0
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 1
    assert "blocked" in said.out
    assert evaltui("decide", "accept_baseline", "a").code == 2


def test_history_follows_a_case_to_its_new_id(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    with_snapshots.write("s.ulx", with_snapshots.suite.read_text().replace("as $.id", "as $.text"))
    with_snapshots.rows({"id": "a", "text": "one"}, {"id": "c", "text": "two"})
    said = evaltui("run", "s.ulx", "--ci")
    assert "gate removed" in said.out.replace("gate          removed", "gate removed")
    assert evaltui("cases", "link", "b", "c", *WHY).code == 0
    again = evaltui("run", "s.ulx", "--ci")
    assert "removed" not in again.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("accept", *WHY), 2, "no case is named"),
        (("accept", "nope", *WHY), 2, "nope"),
        (("accept", "a"), 2, "the reason is missing; see --reason"),
        (("accept", "a", *WHY, "--expires", "soon"), 2, "soon"),
        (("accept", "a", *WHY, "--expires", "900d"), 2, "365"),
        (("accept", "a", *WHY, "--reviewer", ""), 2, "reviewer"),
        (("accept", "a", *WHY, "--run", "r9"), 2, "no run 'r9'"),
    ],
)
def test_acts_that_lack_something_say_what(
    evaltui: Evaltui,
    with_snapshots: UlxProject,
    words: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    evaltui("run", "s.ulx", "--ci")
    said = evaltui(*words)
    assert (said.code, message in said.err) == (code, True), said
    assert said.err.count("\n") == 1


def test_nothing_is_decided_in_ci(
    evaltui: Evaltui, with_snapshots: UlxProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaltui("run", "s.ulx", "--ci")
    monkeypatch.setenv("CI", "1")
    monkeypatch.delenv("EVALTUI_NOW")
    said = evaltui("accept", "a", *WHY)
    assert said.code == 1
    assert "CI is set" in said.err
    assert not Path("decisions").exists()


def test_existing_baselines_are_adopted_in_one_act(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    import shutil

    shutil.rmtree("decisions")
    said = evaltui("run", "s.ulx", "--ci")
    assert "unreviewed: 2 cases" in said.out
    assert evaltui("baselines", "verify").code == 1
    adopted = evaltui("baselines", "adopt", "s.ulx", *WHY)
    assert (adopted.code, adopted.out) == (0, "2 baselines signed by 1 decision\n")
    assert evaltui("baselines", "verify").code == 0
    assert evaltui("run", "s.ulx", "--ci").code == 0


def test_baselines_are_rebuilt_from_decisions(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    first, second = sorted(Path("snapshots/Replies").iterdir())
    kept = first.read_bytes()
    first.unlink()
    second.write_text("{")
    assert evaltui("baselines", "verify").code == 1
    assert evaltui("baselines", "rebuild").code == 0
    assert first.read_bytes() == kept
    assert evaltui("run", "s.ulx", "--ci").code == 0


def test_an_edited_decision_is_found(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    assert evaltui("decisions", "verify").code == 0
    (path,) = Path("decisions").glob("*.json")
    path.write_text(path.read_text().replace("ana", "bob"))
    said = evaltui("decisions", "verify")
    assert said.code == 1
    assert "was edited after it was signed" in said.out


def test_a_stored_run_is_shown_with_todays_decisions(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", *WHY)
    said = evaltui("review", "r1", "--json")
    assert said.code == 1
    assert [case["outcome"] for case in said.json["cases"]] == ["pass", "review"]
    text = evaltui("review", "--ci")
    assert "snapshot:b" in text.out


def test_cases_and_calls_are_shown(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers({"capability": "chat", "text": "\x1b[31mhi"}, PASS)
    evaltui("run", "s.ulx", "--ci")
    shown = evaltui("show", "a")
    assert "outcome          pass" in shown.out
    assert "␛[31mhi" in shown.out and "\x1b" not in shown.out
    traced = evaltui("trace", "r1", "a")
    assert "#1 chat in Reply" in traced.out
    assert "#2 judge Kind, attempt 1" in traced.out
    (record,) = evaltui("trace", "a", "--json").json
    assert record["result"]["calls"][0]["input"] == [["user", "one"]]
    assert evaltui("trace").code == 2
    assert evaltui("show", "--json").json["totals"]["pass"] == 2


def test_two_runs_are_compared(evaltui: Evaltui, project: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("run", "s.ulx", "--ci")
    same = evaltui("diff", "r1", "r2")
    assert same.code == 0
    project.answers({"case": "a", **CHAT}, {"capability": "chat", "text": "thank you"},
                    {"judge": "Kind", "subject": "hi", "verdict": "FAIL: short"}, PASS)  # fmt: skip
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("diff", "r1", "--json")
    assert said.code == 1
    (change,) = said.json["changes"]
    assert (change["case"], change["old"], change["new"]) == ("Replies:a", "pass", "fail")
    assert change["output"]


def test_identity_survives_what_does_not_matter(
    evaltui: Evaltui, with_snapshots: UlxProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    with_snapshots.rows({"id": "b", "text": "two"}, {"id": "a", "text": "one"})
    assert evaltui("run", "s.ulx", "--ci").code == 0, "rows in another order"
    text = with_snapshots.suite.read_text()
    with_snapshots.write("s.ulx", text.replace("as $.id\n", 'as $.id\n  assert reply != ""\n'))
    assert evaltui("run", "s.ulx", "--ci").code == 0, "one more assertion"
    with_snapshots.write("other.ulx", text)
    assert evaltui("run", "s.ulx", "--ci").code == 0, "another suite with the same ids"
    import shutil

    copy = with_snapshots.folder.parent / "copied"
    shutil.copytree(with_snapshots.folder, copy, ignore=shutil.ignore_patterns(".evaltui"))
    monkeypatch.chdir(copy)
    assert evaltui("run", "s.ulx", "--ci").code == 0, "the folder elsewhere"


def test_the_store_is_no_part_of_the_verdict(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    said = evaltui("run", "s.ulx", "--ci", "--report", "json:one.json")
    other = evaltui("run", "s.ulx", "--ci", "--store", "other.db", "--report", "json:two.json")
    assert said.code == other.code
    first, second = (json.loads(Path(name).read_text()) for name in ("one.json", "two.json"))
    assert [case["outcome"] for case in first["cases"]] == [
        case["outcome"] for case in second["cases"]
    ]


def test_a_filter_without_matches_is_told_from_no_case(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    nothing = evaltui("accept", "--filter", "gate:drift", *WHY)
    assert nothing.code == 2
    assert "no case of run r1 matches 'gate:drift'" in nothing.err
    assert "no case is named" in evaltui("accept", *WHY).err


def test_an_unknown_cause_is_named_with_the_nearest(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("accept", "a", "--cause", "inital", *WHY)
    assert said.code == 2
    assert "no cause 'inital'; did you mean initial? use one of semantic_regression, " in said.err
    assert "no cause 'oops'; use one of" in evaltui("accept", "a", "--cause", "oops", *WHY).err


def test_rebuilding_says_how_many_baselines_were_right(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", *WHY)
    assert evaltui("baselines", "rebuild").out == "1 baseline was as accepted\n"
    assert evaltui("baselines", "verify").out == "1 baseline, with its decision\n"
    next(Path("snapshots/Replies").iterdir()).unlink()
    head, row, rest = evaltui("baselines", "rebuild").out.splitlines()
    assert head.split() == ["state", "baseline"]
    assert row.startswith("written  ")
    assert rest == "0 baselines were as accepted"


def test_the_clock_of_a_trial_is_said_wherever_a_run_is_summed_up(
    evaltui: Evaltui, with_snapshots: UlxProject
) -> None:
    clock = "clock         set by EVALTUI_NOW=2026-03-01\n"
    assert clock in evaltui("run", "s.ulx", "--ci").out
    assert evaltui("review", "r1", "--ci").out.count(clock) == 1
    marked = evaltui("run", "s.ulx", "--ci", "--report", "markdown").out
    assert marked.count("EVALTUI\\_NOW") == 1


def test_a_line_says_how_a_value_moved_once(evaltui: Evaltui, with_snapshots: UlxProject) -> None:
    evaltui("run", "s.ulx", "--ci")
    evaltui("accept", "a", "b", *WHY)
    with_snapshots.answers({"capability": "chat", "text": "entirely other words"}, PASS)
    moved = evaltui("run", "s.ulx", "--ci").out.splitlines()[0]
    assert moved.count("alike") == 1
    evaltui("waive", "a", *WHY)
    waived = evaltui("run", "s.ulx", "--ci").out.splitlines()[0]
    assert waived.count("waived") == 1


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--expires", "30 Feb", "not an expiry: '30 Feb'"),
        ("--expires", "2020-01-01", "is in the past"),
        ("--expires", "999d", "is beyond the policy's maximum"),
        ("--cause", "mood", "no cause 'mood'"),
        ("--reviewer", "x" * 300, "longer than 100 characters"),
    ],
)
def test_a_trial_refuses_what_the_act_would_refuse(
    evaltui: Evaltui, project: UlxProject, option: str, value: str, message: str
) -> None:
    project.suite.write_text(
        project.suite.read_text().replace("  expect", "  snapshot reply as $.id\n  expect")
    )
    evaltui("run", "s.ulx", "--ci")
    assert evaltui("accept", "a", "--dry-run").code == 0
    said = evaltui("accept", "a", "--dry-run", option, value)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
