"""The semantic checks beyond the recorded cases (language specification 4)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evaltui.ulx.checks import check_program, has_errors
from evaltui.ulx.diagnostics import Diagnostic
from evaltui.ulx.modules import load


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def check(source: str, **files: str) -> list[Diagnostic]:
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("a.ulx").write_text(source, encoding="utf-8")
    return check_program(load("a.ulx"))


def messages(body: str, **files: str) -> list[str]:
    found = check(f"conversation A(p: text, i: image) {{ {body} }}", **files)
    return [diagnostic.message for diagnostic in found]


def undefined(*names: str) -> list[str]:
    return [f"`{name}` is not defined in this scope" for name in names]


def test_findings_come_in_the_order_of_the_walk() -> None:
    found = messages(
        "with { a = b b = z a = 1 } "
        'x = ask transcribe(p, q, provider: 3) { user: """{r}""" } '
        "match judge J(s) { Pass(t) => u Fail => v } w"
    )
    assert [message.split(" ")[0] + " " + message.split(" ")[1] for message in found] == [
        "`with` block",
        "`b` is",
        "`z` is",
        "duplicate binding",
        "`q` is",
        "`provider` must",
        "capability `transcribe`",
        "`r` is",
        "`J` is",
        "`s` is",
        "`Pass` binds",
        "`Fail` binds",
        "non-exhaustive match",
        "`u` is",
        "`v` is",
        "`w` is",
    ]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("x = x", ["x"]),
        ("x = 1 x", []),
        ("if p { y = 1 } else { y } y", ["y", "y"]),
        ("for y in p { y } y", ["y"]),
        ("match p { Some(y) => y _ => y }", ["y"]),
        ("assistant -> y y", []),
        ('ask chat() { user: """{y}""" } -> y y', ["y"]),
        ("x = {k: $} x.k[p]", []),
        ("capability(zip, 1 + zap, k: zop)", ["zap"]),
        ("f<g>(h)", ["h"]),
        ("escalate(boss, reason: why)", ["why"]),
    ],
)
def test_names_are_known_from_their_binding_to_the_end_of_their_frame(
    body: str, names: list[str]
) -> None:
    assert messages(body) == undefined(*names)


def test_the_innermost_type_of_a_name_counts() -> None:
    assert len(messages("ask transcribe(i) {} -> x")) == 1
    assert messages("i = f() ask transcribe(i) {} -> x") == undefined("f")
    assert len(messages("i = p ask transcribe(i) {} -> x")) == 1


def test_blocks_inside_a_sibling_are_not_searched() -> None:
    assert messages('with { a = 1 b = ask chat() { user: """{a}""" } }') == undefined("a")
    assert len(messages("with { a = 1 b = if a { 1 } else { 2 } }")) == 2


def test_a_retry_fails_through_anything_that_asks() -> None:
    assert messages("retry(1) { f<t>(p) } 1") == []
    assert len(messages("retry(1) { for x in p { if x { assistant -> y } else {} } } 1")) == 1
    assert len(messages("retry(1) { retry(2) { assistant -> y } else p } 1")) == 1
    assert len(messages('retry(1) { x = """{judge J(p)}""" } 1')) == 2


def test_prompt_files_are_checked_in_the_scope_of_their_reference(folder: Path) -> None:
    found = check(
        "conversation A(p: text) { user: @q.txt assistant -> x }", **{"q.txt": "é {p} {z}"}
    )
    assert [(item.message, item.file) for item in found] == [(undefined("z")[0], f"{folder}/q.txt")]
    assert found[0].source.encode()[slice(*found[0].span)] == b"z"


@pytest.mark.parametrize(
    "files", [{"q.txt": "{@q.txt}"}, {"q.txt": '{file("r.txt")}', "r.txt": "{@q.txt}"}]
)
def test_a_ring_of_prompt_files_is_an_error(files: dict[str, str]) -> None:
    found = messages("with { x = @q.txt y = 1 }", **files)
    assert len(found) == 1 and found[0].endswith("q.txt` includes itself")


def test_prompt_files_can_be_confined_to_the_project(folder: Path) -> None:
    (folder / "out.txt").write_text("x")
    (folder / "p").mkdir()
    (folder / "p/a.ulx").write_text("\njudge J() -> Verdict { rubric: @../out.txt }")
    assert not check_program(load("p/a.ulx"))
    found = check_program(load("p/a.ulx", root=folder / "p"))
    assert [item.message for item in found] == [
        f"{folder}/p/a.ulx:2: `{folder}/p/../out.txt` is outside the project {folder}/p"
    ]


def test_only_errors_make_a_check_fail() -> None:
    assert not has_errors(check("conversation A() { x }"))
    assert has_errors(check("type A = text type A = text"))


def test_a_file_of_5000_lines_is_checked_within_a_second() -> None:
    part = (
        "conversation C{n}(a: text) -> text {{\n"
        '  user: """Say {{a}} and {{a}}"""\n  assistant -> x: text\n'
        "  match judge J{n}(x) {{\n    Pass => x\n    _ => retry(2) {{\n"
        '      user: """again"""\n      assistant -> y\n    }} else escalate(h, r: x)\n  }}\n}}\n'
        'judge J{n}(s: text) -> Verdict {{\n  rubric: """ok?"""\n}}\n\n\n'
    )
    source = "".join([part.format(n=number) for number in range(320)])
    assert source.count("\n") > 5000
    started = time.perf_counter()
    assert check(source) == []
    assert time.perf_counter() - started < 1
