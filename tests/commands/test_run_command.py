"""``evaltui run``: what it prints, what it exits with, what it says of bad input."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.commands.conftest import Evaltui
    from tests.conftest import UlxProject

CHAT = {"capability": "chat", "text": "hi"}
PASS = {"judge": "Kind", "verdict": "PASS"}
FAIL = {"judge": "Kind", "verdict": "FAIL: rude"}


def rewrite(project: UlxProject, name: str, old: str, new: str) -> None:
    path = project.folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_every_case_has_a_line_and_the_summary_its_denominators(evaltui: Evaltui) -> None:
    said = evaltui("run", "s.ulx", "--ci")
    lines = said.out.splitlines()
    assert lines[:2] == ["✓ pass      a", "✓ pass      b"]
    assert "cases         2: 2 pass; 0 to look at" in lines
    assert "pass rate     100.0% (2 of 2)" in lines
    assert "calls         4, 1 from the cache" in lines
    assert lines[-1] == "exit          0"
    assert (said.code, said.err) == (0, "")


def test_lines_come_in_case_order_whatever_ends_first(
    evaltui: Evaltui, project: UlxProject
) -> None:
    project.answers({"case": "a", **CHAT, "delay_ms": 30}, CHAT, PASS)
    said = evaltui("run", "s.ulx", "--ci")
    assert [line.split()[2] for line in said.out.splitlines()[:2]] == ["a", "b"]


def test_a_pipe_gets_a_line_while_the_next_case_still_runs(project: UlxProject) -> None:
    project.answers({"case": "b", **CHAT, "delay_ms": 60_000}, CHAT, PASS)
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "evaltui", "run", "s.ulx", "--ci"],
        stdout=subprocess.PIPE,
        cwd=project.folder,
    ) as run:
        assert run.stdout is not None
        try:
            readable, _, _ = select.select([run.stdout], [], [], 20)
            assert readable
            assert run.stdout.readline().split()[-1] == b"a"
        finally:
            run.kill()


def test_plain_is_ascii(evaltui: Evaltui) -> None:
    said = evaltui("run", "s.ulx", "--plain")
    assert said.out.isascii()
    assert said.out.startswith("pass      a\n")


def test_a_failed_check_exits_with_one(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers(CHAT, FAIL)
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 1
    assert "✗ fail      a  expect#1  rude (after 3 resample attempts)" in said.out
    assert "gate          fail: 2 cases failed a check" in said.out
    assert "review        evaltui review r1" in said.out


def test_a_missing_result_exits_with_three_and_goes_before_a_failure(
    evaltui: Evaltui, project: UlxProject
) -> None:
    project.answers({"case": "a", "timeout": True}, CHAT, FAIL)
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 3
    assert "incomplete    1 without a result, 0 allowed" in said.out
    assert "gate          fail: 1 case failed a check" in said.out


def test_results_may_be_missing_within_the_budget(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers({"case": "a", "timeout": True}, CHAT, PASS)
    rewrite(project, "evaltui.toml", "[providers", "[run]\nmax_no_result = 1\n[providers")
    assert evaltui("run", "s.ulx", "--ci").code == 0


def test_a_refused_key_exits_with_three(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers({"status": 401, "message": "bad key"})
    said = evaltui("run", "s.ulx", "--ci", "--concurrency", "1")
    assert said.code == 3
    assert "incomplete    Desk: HTTP 401: bad key" in said.out
    assert "not answered  1 error (a); 1 skipped (b)" in said.out
    assert "resume        evaltui run s.ulx --resume r1" in said.out


def test_a_ceiling_exits_with_three(evaltui: Evaltui) -> None:
    said = evaltui("run", "s.ulx", "--ci", "--max-calls", "2", "--concurrency", "1")
    assert said.code == 3
    assert "--max-calls 2 reached" in said.out


def test_a_report_without_a_path_owns_the_output(evaltui: Evaltui) -> None:
    said = evaltui("run", "s.ulx", "--ci", "--report", "json", "--report", "junit:out/j.xml")
    assert said.json["totals"]["pass"] == 2
    assert said.json["run"]["label"] == "r1"
    assert "✓ pass      a" in said.err
    assert Path("out/j.xml").read_text().startswith("<?xml")


def test_reports_are_written_when_the_suite_is_broken(
    evaltui: Evaltui, project: UlxProject
) -> None:
    project.write("s.ulx", "benchmark {")
    said = evaltui("run", "s.ulx", "--ci", "--report", "json:r.json", "--report", "junit:j.xml")
    assert said.code == 2
    data = json.loads(Path("r.json").read_text())
    assert data["exit_code"] == 2
    assert "s.ulx:1:11" in data["incomplete"]
    assert "<error message=" in Path("j.xml").read_text()


def test_a_report_that_cannot_be_written_is_no_success(evaltui: Evaltui) -> None:
    said = evaltui("run", "s.ulx", "--ci", "--report", "text:s.ulx/r.txt")
    assert said.code == 2
    assert "s.ulx/r.txt: cannot write the report: File exists" in said.err
    assert "exit          0" in said.out, "what the run came to is said all the same"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "name a suite or a folder"),
        (("run", "none.ulx"), "none.ulx: no such file or folder"),
        (("run", "rows.jsonl"), "no suite that evaltui knows"),
        (("run", "empty"), "no suite in this folder"),
        (("run", "s.ulx", "--benchmark", "Nope"), "no benchmark 'Nope'; there are: Replies"),
        (("run", "s.ulx", "--filter", "outcom:fail"), "outcom"),
        (("run", "s.ulx", "--filter", "outcome:fail"), "the cases have not run"),
        (("run", "s.ulx", "--report", "html"), "unknown report format 'html'"),
        (("run", "s.ulx", "--max-cost", "much"), "--max-cost much is not a number"),
        (("run", "s.ulx", "--limit", "0"), "--limit"),
        (("run", "s.ulx", "--mock", "--provider", "Desk"), "cannot be used together"),
        (("run", "s.ulx", "--provider", "Nope"), "unknown provider"),
        (("run", "s.ulx", "--replay", "r1"), "no run"),
        (("run", "--resume"), "there is no store here"),
        (("run", "s.ulx", "--nope"), "--nope"),
        (("nope",), "nope"),
        (("review",), "there is no store here"),
        (("show", "r1"), "there is no store here"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_two(
    evaltui: Evaltui, project: UlxProject, words: tuple[str, ...], message: str
) -> None:
    (project.folder / "empty").mkdir()
    said = evaltui(*words, *(("--ci",) if words[0] == "run" else ()))
    assert said.code == 2
    assert message in said.err
    assert said.err.startswith("evaltui: error: ") and said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.ulx", b"type R = {", "s.ulx:1:"),
        ("s.ulx", b"\xff\xfe", "s.ulx"),
        ("s.ulx", b'import conversation X from "gone.ulx"', "gone.ulx"),
        ("s.ulx", b'import conversation X from "s.ulx"', "import cycle"),
        ("s.ulx", b"type R = { id: text }", "there is no benchmark in this file"),
        ("s.ulx", b'import conversation X from "../out.ulx"', "outside the project"),
        ("rows.jsonl", b'{"id": "a"}\n{"id": \n', "rows.jsonl:2: dataset `Rows`: "),
        ("rows.jsonl", b'{"id": "a"}\n{"id": "a"}\n', "rows 1 and 2 have the same id 'a'"),
        ("rows.jsonl", b"", "no case to run"),
        ("evaltui.toml", b"[run]\nconcurency = 3\n", "evaltui.toml:2: unknown key"),
        ("evaltui.toml", b"[run\n", "evaltui.toml:1"),
        ("answers.jsonl", b'{"txt": "a"}\n', "unknown member `txt`"),
        ("ulexite.toml", b"[package]\n", "package"),
        (".env", b"not an assignment\n", ".env"),
        (
            "s.ulx",
            b'provider Desk { vendor: "scripted" chat: "m" }\nbenchmark B { assert 1 }\n',
            "provider `Desk` is declared in the suite and in evaltui.toml",
        ),
        ("decisions/x.json", b"{", "decisions/x.json"),
        (".evaltui/trace.db", b"not a database at all, but long enough to be one" * 50, "trace.db"),
    ],
)
def test_bad_files_are_named_in_one_line(
    evaltui: Evaltui, project: UlxProject, name: str, content: bytes, message: str
) -> None:
    path = project.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    (project.folder / "evaltui.toml").touch()
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 2, said
    assert message in said.err
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err


def test_a_dataset_that_is_gone_is_named(evaltui: Evaltui, project: UlxProject) -> None:
    (project.folder / "rows.jsonl").unlink()
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 2
    assert "rows.jsonl: No such file or directory" in said.err


def test_a_markdown_source_has_no_benchmark(evaltui: Evaltui, project: UlxProject) -> None:
    project.write("notes.md", "# Notes\n")
    said = evaltui("run", "notes.md", "--ci")
    assert (said.code, "a Markdown source has no benchmark" in said.err) == (2, True)
    assert not (project.folder / ".ulexite").exists()


def test_a_store_that_cannot_be_written_is_named(evaltui: Evaltui, project: UlxProject) -> None:
    project.write("blocked", "")
    said = evaltui("run", "s.ulx", "--ci", "--store", "blocked/trace.db")
    assert said.code == 2
    assert "the store cannot be made" in said.err


def test_what_would_run_is_told_without_running(evaltui: Evaltui, project: UlxProject) -> None:
    said = evaltui("run", "s.ulx", "--dry-run")
    assert said.code == 0
    assert "suite         s.ulx: Replies, 2 cases" in said.out
    assert "case          Replies:a" in said.out
    assert not (project.folder / ".evaltui").exists()


def test_an_internal_error_is_one_line_and_exit_four(
    evaltui: Evaltui, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("evaltui.engine.preparing.prepare", broken)
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 4
    assert said.err == (
        "evaltui: error: internal error: ZeroDivisionError: by zero (--debug shows where)\n"
    )
    with pytest.raises(ZeroDivisionError):
        evaltui("run", "s.ulx", "--ci", "--debug")


def test_a_folder_is_searched_for_suites(evaltui: Evaltui, project: UlxProject) -> None:
    text = project.suite.read_text()
    project.write("sub/t.ulx", text.replace('"rows.jsonl"', '"../rows.jsonl"'))
    project.write("sub/library.ulx", "type R = { id: text }")
    said = evaltui("run", ".", "--ci")
    assert said.code == 0
    assert "✓ pass      s.ulx:Replies:a" in said.out
    assert "✓ pass      t.ulx:Replies:a" in said.out
    assert "library" not in said.out


def test_answers_of_a_stored_run_are_replayed_and_never_asked_for(
    evaltui: Evaltui, project: UlxProject
) -> None:
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("run", "s.ulx", "--ci", "--replay", "r1", "--report", "json")
    assert said.code == 0
    assert said.json["scope"]["mode"] == "replay"
    assert said.json["run"]["replay_of"] == "r1"
    project.rows({"id": "a", "text": "one"}, {"id": "b", "text": "something new"})
    changed = evaltui("run", "s.ulx", "--ci", "--replay", "r1")
    assert changed.code == 3
    assert "run r1 holds no answer for chat call of case b" in changed.out


@pytest.mark.parametrize("configured", [True, False])
def test_a_run_of_the_mock_is_replayed_whatever_is_configured(
    evaltui: Evaltui, project: UlxProject, configured: bool
) -> None:
    if not configured:
        project.write("evaltui.toml", "")
    first = evaltui("run", "s.ulx", "--mock", "--ci")
    for source in ("r1", "r2"):
        said = evaltui("run", "s.ulx", "--replay", source, "--ci", "--report", "json")
        assert said.code == first.code
        assert said.json["scope"]["mode"] == "replay"
        assert {one["outcome"] for one in said.json["cases"]} <= {"pass", "fail", "suspended"}


def test_a_replay_of_a_run_that_is_not_there_is_refused(evaltui: Evaltui) -> None:
    evaltui("run", "s.ulx", "--ci")
    said = evaltui("run", "s.ulx", "--replay", "r7", "--ci")
    assert said.code == 2
    assert "no run 'r7'" in said.err


def _evaltui(project: UlxProject, *words: str, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, **variables}
    environment.pop("CI", None)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "evaltui", *words],
        cwd=project.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def test_one_interrupt_stops_commits_and_says_how_to_go_on(project: UlxProject) -> None:
    project.rows(*({"id": f"c{n}", "text": f"t{n}"} for n in range(200)))
    project.answers({**CHAT, "delay_ms": 10}, PASS)
    process = _evaltui(project, "run", "s.ulx", "--ci", "--report", "json:r.json")
    assert process.stdout is not None
    for _ in range(5):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 3
    assert "stopping; press Ctrl+C again" in err
    assert "resume        evaltui run s.ulx --resume r1" in out
    data = json.loads((project.folder / "r.json").read_text())
    assert data["run"]["state"] == "interrupted"
    assert data["totals"]["pass"] >= 5
    assert data["totals"]["pass"] + data["totals"]["skipped"] == 200


def test_two_interrupts_leave_at_once(project: UlxProject) -> None:
    project.answers({**CHAT, "delay_ms": 60_000}, PASS)
    process = _evaltui(project, "run", "s.ulx", "--ci")
    assert process.stderr is not None
    _wait_for_store(project)
    process.send_signal(signal.SIGINT)
    assert "stopping" in process.stderr.readline() + process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=5)
    assert process.returncode == 3


def _wait_for_store(project: UlxProject) -> None:
    """Wait until the run has begun and its signal handler stands."""
    import threading

    pause = threading.Event()
    for _ in range(1000):
        path = project.folder / ".evaltui" / "trace.db-wal"
        if path.exists() and path.stat().st_size > 40_000:
            pause.wait(0.3)
            return
        pause.wait(0.01)
    raise AssertionError("the run did not begin")


def test_two_processes_on_one_project_lose_nothing(project: UlxProject) -> None:
    project.rows(*({"id": f"c{n}", "text": f"t{n}"} for n in range(60)))
    project.answers({**CHAT, "delay_ms": 1}, PASS)
    both = [_evaltui(project, "run", "s.ulx", "--ci") for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "60: 60 pass" in out
    listing = _evaltui(project, "runs", "list", "--json")
    out, _ = listing.communicate(timeout=20)
    runs = json.loads(out)
    assert sorted(run["label"] for run in runs) == ["r1", "r2"]
    assert [run["counts"] for run in runs] == [{"pass": 60}] * 2


def test_output_is_utf_8_whatever_the_locale(project: UlxProject) -> None:
    process = _evaltui(project, "run", "s.ulx", "--ci", LC_ALL="C", PYTHONUTF8="0",
                       PYTHONIOENCODING="ascii")  # fmt: skip
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert out.startswith("✓ pass")


def test_a_closed_pipe_is_no_error(project: UlxProject) -> None:
    project.rows(*({"id": f"c{n}", "text": f"t{n}"} for n in range(3000)))
    process = _evaltui(project, "run", "s.ulx", "--ci", "--mock")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.wait(timeout=20)
    process.stderr.close()


def test_hostile_text_is_shown_safely(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers({"capability": "chat", "text": "x"},
                    {"judge": "Kind", "verdict": "FAIL: \x1b[2J [/b] \u202eevil"})  # fmt: skip
    said = evaltui("run", "s.ulx", "--ci")
    assert not re.search("[\x1b\u202e]", said.out)
    assert "␛[2J [/b] ‹U+202E›evil" in said.out


def test_a_disk_that_fills_up_loses_nothing_that_was_committed(project: UlxProject) -> None:
    project.rows(*({"id": f"c{n}", "text": f"t{n}"} for n in range(3000)))
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    words = [sys.executable, "-P", "-m", "evaltui", "run", "s.ulx", "--ci", "--mock"]
    full = subprocess.run(
        ["bash", "-c", 'ulimit -f 4000; exec "$@"', "run", *words, "--report", "json:r.json"],
        cwd=project.folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert full.returncode == 2
    assert full.stderr.startswith("evaltui: error: ") and full.stderr.count("\n") == 1
    data = json.loads((project.folder / "r.json").read_text())
    assert data["run"]["state"] == "interrupted"
    assert data["totals"]["total"] == 3000
    resumed = subprocess.run(
        [*words, "--resume"],
        cwd=project.folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    assert "3000: 3000 pass" in resumed.stdout


def test_huge_and_odd_outputs_pass_through(evaltui: Evaltui, project: UlxProject) -> None:
    project.answers({"capability": "chat", "text": "x\0\u202e日" * 1_000_000}, PASS)
    said = evaltui("run", "s.ulx", "--ci", "--report", "json:r.json", "--report", "text:r.txt")
    assert said.code == 0
    data = json.loads(Path("r.json").read_text())
    assert data["cases"][0]["output"]["value"]["reply"]["value"] == "x\0\u202e日" * 1_000_000
    assert Path("r.txt").stat().st_size < 10_000
    assert len(evaltui("show", "a").out) < 20_000


def test_whatever_fails_before_the_first_case_is_in_the_reports(
    evaltui: Evaltui, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("evaltui.engine.preparing.prepare", broken)
    assert evaltui("run", "s.ulx", "--ci", "--report", "json:r.json").code == 4
    data = json.loads(Path("r.json").read_text())
    assert (data["exit_code"], data["incomplete"]) == (4, "ZeroDivisionError: by zero")


def test_whatever_fails_in_the_middle_is_in_the_reports(
    evaltui: Evaltui, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("evaltui.review.judging.judge_case", broken)
    said = evaltui("run", "s.ulx", "--ci", "--report", "json:r.json")
    assert said.code == 4
    assert said.err.endswith("internal error: ZeroDivisionError: by zero (--debug shows where)\n")
    data = json.loads(Path("r.json").read_text())
    assert data["exit_code"] == 4
    assert data["totals"]["skipped"] == 2


def test_a_clock_that_cannot_be_set_is_in_the_reports(
    evaltui: Evaltui, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("soon", "9999-12-31T23:59:59", "0001-01-01", "\x1b[31m"):
        monkeypatch.setenv("EVALTUI_NOW", text)
        said = evaltui("run", "s.ulx", "--ci", "--report", "json:r.json")
        assert said.code == 2
        assert "EVALTUI_NOW" in said.err and "\x1b" not in said.err
        assert "EVALTUI_NOW" in json.loads(Path("r.json").read_text())["incomplete"]
        Path("r.json").unlink()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_asked_to_end_is_an_interrupt(project: UlxProject, number: int) -> None:
    project.answers({**CHAT, "delay_ms": 60_000}, PASS)
    # Below nohup a process inherits that hang-ups are ignored, and rightly keeps it so.
    inherited = signal.signal(number, signal.SIG_DFL)
    process = _evaltui(project, "run", "s.ulx", "--ci", "--report", "json:r.json")
    signal.signal(number, inherited)
    _wait_for_store(project)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 3
    assert json.loads((project.folder / "r.json").read_text())["run"]["state"] == "interrupted"


def test_an_argument_that_is_not_utf_8_is_refused(evaltui: Evaltui) -> None:
    said = evaltui("run", os.fsdecode(b"\xff.ulx"), "--ci")
    assert said.code == 2
    assert said.err == "evaltui: error: the argument '\\udcff.ulx' is not UTF-8\n"


def test_arguments_are_utf_8_whatever_the_locale(project: UlxProject) -> None:
    project.answers(CHAT, FAIL)
    run = _evaltui(project, "run", "s.ulx", "--ci")
    run.communicate(timeout=20)
    assert run.returncode == 1
    words = ("waive", "a", "--reason", "schöner Gruß", "--reviewer", "Zoé", "--expires", "1d")
    process = _evaltui(project, *words, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    decision = next((project.folder / "decisions").glob("*.json"))
    assert "schöner Gruß" in decision.read_text(encoding="utf-8")


def test_ids_and_paths_are_shown_safely(evaltui: Evaltui, project: UlxProject) -> None:
    text = project.suite.read_text()
    project.suite.unlink()
    project.write("\x1b]0;x\x07.ulx", text.replace("expect", "snapshot reply as $.id\n  expect"))
    project.rows({"id": "\x1b[2Jred\u202e", "text": "one"})
    reports = [
        word
        for name in ("text", "json", "jsonl", "junit", "markdown")
        for word in ("--report", f"{name}:out/{name}")
    ]
    said = evaltui("run", ".", "--ci", *reports)
    texts = [said.out, said.err, *(path.read_text() for path in Path("out").iterdir())]
    assert said.code == 1
    assert not any(re.search("[\x1b\x07\u202e]", one) for one in texts)


@pytest.mark.parametrize("name", ["rows.jsonl", "answers.jsonl", "s.ulx", "evaltui.toml"])
def test_links_in_a_circle_are_named_in_one_line(
    evaltui: Evaltui, project: UlxProject, name: str
) -> None:
    (project.folder / name).unlink()
    (project.folder / name).symlink_to(name)
    said = evaltui("run", "s.ulx", "--ci")
    assert said.code == 2
    assert name in said.err
    assert said.err.count("\n") == 1


def test_an_empty_path_is_not_the_whole_folder(evaltui: Evaltui) -> None:
    said = evaltui("run", "", "--ci")
    assert (said.code, said.err) == (
        2,
        "evaltui: error: a path is empty; is a variable not set?\n",
    )


def test_an_interrupt_before_the_first_case_is_an_interrupt(
    evaltui: Evaltui, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evaltui.engine.preparing.prepare", interrupted)
    said = evaltui("run", "s.ulx", "--ci", "--report", "json:r.json")
    assert (said.code, said.err) == (3, "evaltui: error: interrupted\n")
    data = json.loads(Path("r.json").read_text())
    assert data["incomplete"] == "interrupted before the first case"


@pytest.mark.parametrize("name", ["suite", "folder"])
def test_a_path_that_is_not_utf_8_is_refused_in_one_line(
    evaltui: Evaltui, project: UlxProject, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == "suite":
        project.suite.rename(project.folder / os.fsdecode(b"\xff.ulx"))
    else:
        odd = project.folder.rename(project.folder.with_name(os.fsdecode(b"odd\xff")))
        monkeypatch.chdir(odd)
    said = evaltui("run", ".", "--ci", "--report", "json:r.json")
    assert said.code == 2
    assert "this path is not UTF-8; rename it" in said.err
    assert json.loads(Path("r.json").read_text())["exit_code"] == 2
