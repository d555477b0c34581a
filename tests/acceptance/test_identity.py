"""What is decided about a case stays with the case, whatever else changes around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk, MakeDesk

SUITE = """
type Row = { %(id)stext: text, note: text }
dataset Rows: list<Row> { from "rows.jsonl" }

judge Helpful(reply: text) -> Verdict { rubric: "could a newcomer follow it?" }

conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  if reply == "too dear" {
    escalate(manager, text: text, reason: "a person decides")
  } else {
    reply
  }
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  assert reply != "never"
  expect reply satisfies judge Helpful(reply)
  snapshot reply as $.text
}
"""
POLICY = """
[providers.Desk]
vendor = "scripted"
chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
judge = { model = "reader-1", params = { answers = "answers.jsonl" } }
"""
ANSWERS = [
    {"capability": "chat", "contains": "big claim", "text": "too dear"},
    {"capability": "chat", "contains": "may I", "text": "never"},
    {"capability": "chat", "text": "gladly"},
    {"capability": "judge", "verdict": "SCORE: 0.9"},
]
TEXTS = {"kept": "hello", "waived": "may I?", "answered": "my big claim", "both": "and you?"}
WHY = ("--reason", "agreed", "--reviewer", "ana")


def rows(explicit: bool) -> list[dict[str, str]]:
    made = [{"id": name, "text": text, "note": "n1"} for name, text in TEXTS.items()]
    return made if explicit else [{k: v for k, v in row.items() if k != "id"} for row in made]


@pytest.fixture(
    scope="module", params=[True, False], ids=["ids of their own", "ids of what run reads"]
)
def triaged(request: pytest.FixtureRequest, make_desk: MakeDesk) -> Desk:
    """A snapshot, a score, a waiver and an answer, all decided; nothing is red."""
    explicit = bool(request.param)
    desk = make_desk({"s.ulx": SUITE % {"id": "id: text, " if explicit else ""},
                      "evaltui.toml": POLICY})  # fmt: skip
    desk.lines("rows.jsonl", rows(explicit))
    desk.lines("answers.jsonl", ANSWERS)
    assert desk.here("run", "s.ulx", "--ci").code == 1
    name = dict(zip(TEXTS, (case["case_id"] for case in cases(desk)), strict=True))
    said = desk.here("approve", name["answered"], "--value", "paid", *WHY)
    assert said.code == 0, said
    assert desk.here("run", "--resume", "--ci").code == 1
    for words in (
        ("accept", name["kept"], name["both"], name["answered"]),
        ("accept", name["both"], "--check", "expect#1"),
        ("waive", name["waived"]),
    ):
        said = desk.here(*words, *WHY)
        assert said.code == 0, said
    return desk


@pytest.fixture
def decided(triaged: Desk, tmp_path: Path) -> Desk:
    """A copy of one's own, with its store."""
    return triaged.copy(tmp_path / "project")


def cases(desk: Desk) -> list[dict[str, Any]]:
    """The cases of the latest run, as the JSON report has them."""
    found: list[dict[str, Any]] = desk.here("show", "--json").json["cases"]
    return found


def standing(desk: Desk) -> tuple[int, dict[str, tuple[object, ...]]]:
    """The exit code of a fresh run, and what is in force by case."""
    said = desk.here("run", "s.ulx", "--ci", "--report", "json")
    return said.code, {
        case["case_id"]: (case["outcome"], case["waived"], case["decision"])
        for case in said.json["cases"]
    }


def shuffled(desk: Desk) -> None:
    lines = desk.folder.joinpath("rows.jsonl").read_text().splitlines()
    desk.folder.joinpath("rows.jsonl").write_text("\n".join(lines[2:] + lines[1::-1]) + "\n")


def with_an_assert(desk: Desk) -> None:
    text = (desk.folder / "s.ulx").read_text()
    longer = text.replace("as $.text\n", 'as $.text\n  assert reply != ""\n')
    assert longer != text
    (desk.folder / "s.ulx").write_text(longer)


def with_another_note(desk: Desk) -> None:
    path = desk.folder / "rows.jsonl"
    items = [json.loads(line) for line in path.read_text().splitlines()]
    desk.lines("rows.jsonl", [{**item, "note": f"n2 {place}"} for place, item in enumerate(items)])


def beside_another_suite(desk: Desk) -> None:
    text = (desk.folder / "s.ulx").read_text()
    (desk.folder / "a.ulx").write_text(text)
    assert desk.here("run", "a.ulx", "--ci").code == 1, "nothing has been decided about that suite"
    said = desk.here("waive", "--filter", "outcome:fail,suspended", *WHY)
    assert said.code in (0, 1), said


@pytest.mark.parametrize(
    "change", [shuffled, with_an_assert, with_another_note, beside_another_suite]
)
def test_decisions_stay_in_force(decided: Desk, change: Callable[[Desk], None]) -> None:
    code, before = standing(decided)
    assert code == 0
    assert [waived for _, waived, _ in before.values()] == [name == "waived" for name in TEXTS]
    assert all(decision for _, _, decision in before.values())
    change(decided)
    assert standing(decided) == (0, before)


def test_decisions_travel_with_the_folder(decided: Desk, tmp_path: Path) -> None:
    there = decided.copy(tmp_path / "far" / "away", ".evaltui")
    assert standing(there) == standing(decided)


def test_a_project_copied_with_its_store_decides_where_it_is_now(
    decided: Desk, tmp_path: Path
) -> None:
    there = decided.copy(tmp_path / "elsewhere")
    before = files(decided)
    assert there.here("revert", cases(there)[0]["case_id"], *WHY).code == 0
    assert files(decided) == before
    assert len(set(files(there)) - set(before)) == 1
    resumed = there.here("run", "--resume", "--ci")
    assert (resumed.code, "no baseline yet" in resumed.out) == (1, True), resumed
    assert standing(decided)[0] == 0


def files(desk: Desk) -> list[str]:
    return sorted(str(path.relative_to(desk.folder)) for path in desk.folder.rglob("*.json"))
