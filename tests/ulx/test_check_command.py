"""``evaltui check`` and ``evaltui fmt`` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.text import cells
from evaltui.ulx.diagnostics import Severity
from evaltui.ulx.finding_text import text, workflow_commands
from evaltui.ulx.findings import Finding

WRONG = "conversation A() {\n\tx = zed + 1\n}\nconversation A() {}\n"
WARNED = "conversation A() { zed }\n"
CLEAN = "conversation A() {}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {"wrong": WRONG, "warned": WARNED, "clean": CLEAN}.items():
        Path(f"{name}.ulx").write_text(content)


def test_findings_are_drawn_below_their_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "wrong.ulx"]) == 1
    assert capsys.readouterr().out == (
        "wrong.ulx:2:6: warning: `zed` is not defined in this scope [undefined-name]\n"
        "    2 |     x = zed + 1\n"
        "      |         ^^^\n\n"
        "wrong.ulx:4:14: error: `A` is declared twice in this file [duplicate-declaration]\n"
        "    4 | conversation A() {}\n"
        "      |              ^\n"
        "      = rename it; the first one is in line 1, column 14\n\n"
        "1 error and 1 warning in 1 file\n"
    )


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("binary.ulx").write_bytes(b"\xff")
    assert run(["check", "clean.ulx"]) == 0
    assert capsys.readouterr().out == "no findings in 1 file\n"
    assert run(["check", "warned.ulx"]) == 0
    assert run(["check", "wrong.ulx", "clean.ulx"]) == 1
    assert run(["check", "binary.ulx", "wrong.ulx"]) == 2
    assert "binary.ulx: cannot be read: it is not UTF-8" in capsys.readouterr().err
    assert run(["check", "missing.ulx"]) == 2
    assert run(["check"]) == 2
    assert run(["check", "clean.ulx", "--format", "xml"]) == 2


def test_folders_are_searched(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (".hidden", "sub"):
        Path(folder).mkdir()
        Path(folder, "x.ulx").write_text(WRONG)
    assert run(["check", "."]) == 1
    assert capsys.readouterr().out.endswith("2 errors and 3 warnings in 4 files\n")
    Path("empty").mkdir()
    assert run(["check", "empty"]) == 2


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "warned.ulx", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "file": "warned.ulx",
            "line": 1,
            "column": 20,
            "end_line": 1,
            "end_column": 23,
            "severity": "warning",
            "rule": "undefined-name",
            "message": "`zed` is not defined in this scope",
            "suggestion": None,
            "source_line": WARNED.strip(),
        }
    ]
    assert run(["check", "clean.ulx", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_github_annotations(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "wrong.ulx", "--format", "github"]) == 1
    assert capsys.readouterr().out.splitlines()[1] == (
        "::error file=wrong.ulx,line=4,endLine=4,col=14,endColumn=15,"
        "title=evaltui check%3A duplicate-declaration::"
        "`A` is declared twice in this file; rename it; the first one is in line 1, column 14"
    )


def finding(line: str, column: int, end: int, **members: str) -> Finding:
    file, message = members.get("file", "f.ulx"), members.get("message", "oh")
    hint = members.get("hint", "")
    return Finding(file, 1, column, 1, end, Severity.ERROR, "syntax", message, hint, line)


def test_what_files_say_can_neither_act_nor_escape() -> None:
    hostile = finding("x\x1b[31m\u202e", 2, 3, file="a,b:c%\n::error", message="50%\r\n::x\x1b")
    drawn = text(hostile, colour=False)
    assert "\x1b" not in drawn and "\u202e" not in drawn
    (line,) = workflow_commands([hostile])
    assert line.startswith("::error file=a%2Cb%3Ac%25␊%3A%3Aerror,line=1,")
    assert line.endswith("::50%25␍␊::x␛")


def test_carets_stand_under_wide_characters_and_tabs() -> None:
    for line, start, end in [("日本\t語x", 4, 6), ("é\tx y", 3, 4), ("abc", 4, 4), ("x\ty", 2, 3)]:
        rows = text(finding(line, start, end), colour=False).split("\n")
        shown, mark = rows[1].partition("| ")[2], rows[2].partition("| ")[2]
        before = line[: start - 1].expandtabs(4)
        assert shown.startswith(before)
        assert mark.index("^") == cells(before)
        until = line[: end - 1].expandtabs(4)
        assert len(mark.strip()) == max(cells(until) - cells(before), 1)


def test_long_lines_are_cut_around_the_place() -> None:
    rows = text(finding("a " * 50_000 + "zed" + " b" * 50_000, 100_001, 100_004), colour=False)
    shown, mark = [row.partition("| ")[2] for row in rows.split("\n")[1:3]]
    assert len(shown) < 200 and shown.startswith("…") and shown.endswith("…")
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "zed"


def test_colour_only_when_asked_for() -> None:
    assert "\x1b" in text(finding("x", 1, 2), colour=True)
    assert "\x1b" not in text(finding("x", 1, 2), colour=False)


def test_fmt_rewrites_files_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    untidy = Path("untidy.ulx")
    untidy.write_text("// kept\nconversation A(){x=1 // here\n}")
    untidy.chmod(0o640)
    Path("link.ulx").symlink_to(untidy)
    assert run(["fmt", "--check", "link.ulx", "clean.ulx"]) == 1
    assert capsys.readouterr().out == "would reformat link.ulx\n"
    assert run(["fmt", "--diff", "untidy.ulx"]) == 1
    assert "-conversation A(){x=1 // here\n" in capsys.readouterr().out
    assert run(["fmt", "link.ulx", "clean.ulx"]) == 0
    assert capsys.readouterr().out == "formatted link.ulx\n"
    assert untidy.read_text() == "// kept\nconversation A() {\n  x = 1 // here\n}\n"
    assert Path("link.ulx").is_symlink() and untidy.stat().st_mode & 0o777 == 0o640
    assert run(["fmt", "link.ulx"]) == 0
    assert capsys.readouterr().out == ""
    assert not list(Path().glob(".evaltui-*"))


def test_fmt_leaves_what_it_cannot_read_alone(capsys: pytest.CaptureFixture[str]) -> None:
    bad = 'conversation A() { user: "x" }\nconversation B( {}\n'
    Path("bad.ulx").write_text(bad)
    Path("a.md").write_text("# T\n")
    Path("untidy.ulx").write_text("conversation A(){}")
    assert run(["fmt", "bad.ulx", "a.md", "untidy.ulx"]) == 2
    said = capsys.readouterr()
    assert said.out == "formatted untidy.ulx\n"
    assert "bad.ulx:1:26: error: expected a text block" in said.err
    assert "bad.ulx:2:17: error:" in said.err
    assert "a.md: Markdown files" in said.err
    assert Path("bad.ulx").read_text() == bad
