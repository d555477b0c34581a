"""What leaves a run: exact, safe, and honest about its scope."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaltui.errors import UsageError
from evaltui.models import CaseSummary, Gate, Mode, Outcome, RunInfo, Section
from evaltui.reports import formats, report
from evaltui.reports.base import parse_requests, write_file
from evaltui.reports.markdown import LIMIT, escape
from evaltui.reports.text import case_line
from evaltui.reports.view import RunView, pass_rate, worst_first
from evaltui.review.gates import GateCount

if TYPE_CHECKING:
    Write = Callable[[str, RunView], str]
    Golden = Callable[[str, str], None]

SUFFIXES = {"text": "txt", "json": "json", "jsonl": "jsonl", "junit": "xml", "markdown": "md"}
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe]")


@pytest.mark.parametrize("name", SUFFIXES)
def test_every_format_is_what_it_was(
    name: str, view: RunView, written: Write, golden: Golden
) -> None:
    golden(f"run.{SUFFIXES[name]}", written(name, view))


def test_all_formats_are_covered() -> None:
    assert formats() == list(SUFFIXES)


@pytest.mark.parametrize("name", SUFFIXES)
def test_nothing_in_a_report_can_act_on_a_terminal(
    name: str, view: RunView, written: Write
) -> None:
    assert ACTIVE.findall(written(name, view)) == []


@pytest.mark.parametrize("name", SUFFIXES)
def test_every_report_states_its_scope(name: str, view: RunView, written: Write) -> None:
    text = written(name, view).replace("\\", "")
    for fact in ("r12", "desk.ulx", "Replies", "gpt-4o-mini", "live", "c0ffee", "2026-03-01"):
        assert fact in text
    assert "50.0% (3 of 6)" in text
    assert "33.3% (2 of 6)" in text, "the rate by the policy alone"
    assert "1 without a result" in text


@pytest.mark.parametrize("name", SUFFIXES)
def test_a_run_that_could_not_start_has_a_report_too(
    name: str, view: RunView, written: Write
) -> None:
    run = replace(view.run, sections=(), state="not started", problems=("s.ulx: broken",))
    text = written(name, RunView(run, (), 2, incomplete="s.ulx: broken"))
    assert "broken" in text
    if name == "junit":
        assert ET.fromstring(text).find(".//error") is not None


def test_json_values_are_exact(view: RunView, written: Write) -> None:
    data = json.loads(written("json", view))
    assert data["schema"] == "evaltui.report/1"
    assert data["cases"][2]["output"] == {"kind": "Text", "value": "\x1b[31m"}
    assert data["cases"][2]["checks"][0]["attempts"] == ['Fail("no")'] * 3
    assert data["cases"][1]["outcome_by_policy"] == "review"
    assert data["totals"]["cost_usd"] == "0.0084"
    assert data["exit_code"] == 3


def test_json_lines_say_what_they_are(view: RunView, written: Write) -> None:
    lines = [json.loads(line) for line in written("jsonl", view).splitlines()]
    assert [line["type"] for line in lines] == ["run", *["case"] * 9, "summary"]


def test_junit_tells_failures_errors_and_waivers_apart(view: RunView, written: Write) -> None:
    suites = ET.fromstring(written("junit", view))
    kinds = {
        case.attrib["name"]: (case[0].tag if len(case) else "pass")
        for case in suites.iter("testcase")
    }
    assert list(kinds.values()) == [
        "pass", "pass", "failure", "skipped", "failure", "error", "failure", "pass", "skipped",
    ]  # fmt: skip
    assert (suites.attrib["failures"], suites.attrib["errors"]) == ("3", "1")
    assert suites.find(".//skipped[@message='waived ana, 30d']") is not None


def test_junit_follows_a_gate_that_only_reports(view: RunView, written: Write) -> None:
    gates = tuple(replace(gate, fails=gate.gate is not Gate.NEW) for gate in view.gates)
    suites = ET.fromstring(written("junit", replace(view, gates=gates)))
    case = suites.find(".//testcase[@name='fr-nouveau']")
    assert case is not None and [child.tag for child in case] == ["system-out"]


@given(st.text())
def test_junit_is_well_formed_whatever_a_case_holds(text: str) -> None:
    section = Section(0, "ulexite", "s.ulx", "/p", text, "s", "d", 1)
    run = RunInfo("i", "r1", "now", Mode.LIVE, text, "", (section,), (), "/p")
    row = CaseSummary(0, 0, text, Outcome.FAIL, message=text, red=True, gates=(Gate.FAIL,))
    out = io.StringIO()
    report("junit")(RunView(run, [row], 1, (GateCount(Gate.FAIL, 1, True),)), out)
    (failure,) = ET.fromstring(out.getvalue()).iter("failure")
    assert failure.attrib["type"] == "fail"


def test_markdown_puts_the_worst_ten_first(view: RunView, written: Write) -> None:
    red = [
        CaseSummary(n, 0, f"case-{n}", Outcome.REVIEW, red=True, gates=(Gate.NEW,))
        for n in range(30)
    ]
    red[29] = replace(red[29], outcome=Outcome.FAIL, gates=(Gate.FAIL,))
    text = written("markdown", replace(view, summaries=red, details=None, by_policy={}))
    assert "the worst 10 of 30" in text
    rows = [line for line in text.splitlines() if "case\\-" in line]
    assert len(rows) == 10 + 0
    assert rows[0].startswith("| fail | Replies:case\\-29 |")


def test_markdown_fits_a_comment(view: RunView, written: Write) -> None:
    run = replace(view.run, problems=tuple("x" * 400 for _ in range(400)))
    text = written("markdown", replace(view, run=run))
    assert len(text) < LIMIT + 200
    assert "more lines: `evaltui show r12`" in text


@given(st.text(max_size=200))
def test_markdown_cells_hold_no_markup(text: str) -> None:
    cell = escape(text)
    assert "\n" not in cell
    bare = re.sub(r"\\.", "", cell)
    assert not set("`*_[]|<>") & set(bare)


def test_the_case_line_has_words_beside_glyphs_and_colour(view: RunView) -> None:
    row = view.summaries[4]
    assert case_line(view, row).startswith("? review    Tickets:fr-nouveau  lang=fr  snapshot:fr")
    assert case_line(view, row, glyphs=False).isascii()
    assert case_line(view, row, colour=True).startswith("\x1b[33m? review")


def test_failures_come_before_errors_and_reviews(view: RunView) -> None:
    assert [row.outcome for row in worst_first(view.summaries)] == [
        "fail", "error", "suspended", "review",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("passed", "answered", "text"),
    [
        (0, 0, "none (nothing was answered)"),
        (999, 1000, "99.9% (999 of 1000)"),
        (1999, 2000, "99.9% (1999 of 2000)"),
        (2000, 2000, "100.0% (2000 of 2000)"),
        (0, 3, "0.0% (0 of 3)"),
    ],
)
def test_only_a_full_house_reads_a_hundred(passed: int, answered: int, text: str) -> None:
    assert pass_rate(passed, answered) == text


def test_requests_name_a_format_and_a_path() -> None:
    text, junit = parse_requests(["text", "junit:out/j:1.xml"], formats())
    assert (text.format, text.path) == ("text", None)
    assert (junit.format, junit.path) == ("junit", Path("out/j:1.xml"))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["html"], "unknown report format 'html'; use one of text, json"),
        (["json:"], "names no file"),
        (["json", "text"], "only one report may go to the standard output"),
        (["json:a", "text:a"], "two reports would be written to a"),
    ],
)
def test_requests_that_make_no_sense_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_requests(texts, formats())


def test_a_report_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.txt"
    write_file(path, lambda out: print("first", file=out))

    def fails(out: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_file(path, fails)
    assert path.read_text() == "first\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["r.txt"]


def test_a_report_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the report"):
        write_file(tmp_path / "file" / "r.txt", lambda out: None)
