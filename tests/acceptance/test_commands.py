"""Everything that can be done without a screen, over the real demo, with JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui import demo

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk, MakeDesk

WHY = ("--reason", "agreed", "--reviewer", "ana")
READING = [
    ("review", 3, "cases"),
    ("review r1", 3, "cases"),
    ("runs list", 0, "label"),
    ("show", 0, "cases"),
    ("show r1", 0, "cases"),
    ("show en-late-refund", 0, "judgement"),
    ("trace r1 en-late-refund", 0, "result"),
    ("baselines list", 0, "custody"),
    ("baselines verify", 1, "custody"),
    ("baselines expiring", 1, "days_left"),
    ("baselines rebuild", 0, "written"),
    ("decisions list", 0, "reviewer"),
    ("decisions verify", 1, "message"),
]
ACTS = [
    ("accept en-late-refund --cause intended_requirement_change", 0),
    ("accept en-customs", 1),
    ("accept en-odd-label en-customs --cause provider_or_model_change", 1),
    ("widen fr-how-emballage", 0),
    ("waive en-customs ja-ryoushusho", 0),
    ("waive en-where-is-it", 1),
    ("renew en-opening-hours", 0),
    ("approve fr-client-fache", 0),
    ("approve en-scarf", 1),
    ("deny en-grand-clock --note no", 0),
    ("revert en-customs", 0),
    ("decide annotate en-customs --note seen", 0),
    ("decide block_release en-customs", 0),
    ("cases link en-fax-form en-scarf", 0),
]


@pytest.fixture(scope="module")
def ran(prepared: Path, make_desk: MakeDesk) -> Desk:
    """The demo after its first run."""
    desk = make_desk({}).of(prepared)
    assert desk.here("run", demo.SUITE, "--ci").code == 3
    return desk


@pytest.mark.parametrize(("words", "code", "member"), READING)
def test_reading_commands_answer_json(ran: Desk, words: str, code: int, member: str) -> None:
    said = ran.here(*words.split(), "--json")
    assert (said.code, said.err) == (code, "")
    data = said.json
    assert member in (data[0] if isinstance(data, list) else data)
    assert said.out.isascii()


def test_acts_answer_json_and_exit_with_one_when_anything_was_refused(
    ran: Desk, tmp_path: Path
) -> None:
    desk = ran.copy(tmp_path / "evaltui-demo")
    for words, code in ACTS:
        before = len(desk.decisions())
        said = desk.here(*words.split(), *WHY, "--json")
        assert (said.code, said.err) == (code, ""), words
        assert bool(said.json["refused"]) == bool(code), words
        made = len(desk.decisions()) - before
        assert made == len(said.json.get("decisions", [])) == (1 if said.json["cases"] else 0)
    said = desk.here("baselines", "adopt", demo.SUITE, *WHY, "--json")
    assert (said.code, len(said.json["adopted"])) == (0, 1)
    assert desk.here("decisions", "verify", "--json").json == []
    assert desk.here("run", demo.SUITE, "--ci").code == 3
    said = desk.here("diff", "r1", "r2", "--json")
    assert said.code == 1
    assert {"Replies:fr-client-fache", "Refunds:en-grand-clock"} <= {
        change["case"] for change in said.json["changes"]
    }


def test_lines_come_while_the_run_goes_on(ran: Desk, tmp_path: Path) -> None:
    desk = ran.copy(tmp_path / "evaltui-demo")
    late = {"case": "en-late-refund", "capability": "chat", "text": "x", "delay_ms": 60_000}
    answers = desk.folder / "answers.jsonl"
    answers.write_text(json.dumps(late) + "\n" + answers.read_text("utf-8"), "utf-8")
    with desk.start("run", demo.SUITE, "--ci", "--no-cache") as process:
        assert process.stdout is not None
        assert "en-where-is-it" in process.stdout.readline()
        assert process.poll() is None
        process.kill()


def test_what_to_do_next_can_be_done_from_where_one_is(ran: Desk, tmp_path: Path) -> None:
    desk = ran.copy(tmp_path / "evaltui-demo").inside(tmp_path)
    for words, code in (("run evaltui-demo --ci", 3), ("run evaltui-demo --ci --store o.db", 3)):
        said = desk.here(*words.split())
        assert said.code == code
        follow = said.out.splitlines()[-1].removeprefix("review        evaltui ")
        assert desk.here(*follow.split(), "--json").json["totals"]["red"] == 17


def test_every_report_is_written_on_every_way_out(ran: Desk, tmp_path: Path) -> None:
    formats = ("text", "json", "jsonl", "junit", "markdown")
    reports = [word for name in formats for word in ("--report", f"{name}:out/{name}")]
    desk = ran.copy(tmp_path / "evaltui-demo")
    broken = [("run", demo.SUITE, "--ci"), ("run", demo.SUITE, "--ci", "--max-calls", "3")]
    broken += [("run", demo.SUITE, "--ci", "--benchmark", "Nope"), ("run", "none.ulx", "--ci")]
    for words, code in zip(broken, (3, 3, 2, 2), strict=True):
        said = desk.here(*words, *reports)
        assert said.code == code
        for name in formats:
            assert (desk.folder / "out" / name).stat().st_size > 0
            (desk.folder / "out" / f"{name}").rename(desk.folder / "out" / f"{name}.seen")
        report = json.loads((desk.folder / "out" / "json.seen").read_text("utf-8"))
        assert report["exit_code"] == code
        assert report["incomplete"]


def test_the_clock_of_a_trial_is_printed_in_every_report(ran: Desk, tmp_path: Path) -> None:
    day = "2030-01-02"
    desk = ran.copy(tmp_path / "evaltui-demo").at(day)
    for name in ("text", "json", "jsonl", "junit", "markdown"):
        said = desk.here("run", demo.SUITE, "--ci", "--limit", "1", "--report", name)
        assert day in said.out.replace("\\", ""), name
