"""One namespace out of all modules (runtime specification 0.1)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from evaltui.ulx import tree
from evaltui.ulx.merge import MergedProgram, merge
from evaltui.ulx.modules import LoadError, load
from evaltui.ulx.program import load_program


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def merged(**files: str) -> MergedProgram:
    for name, text in files.items():
        path = Path(name.replace("__", "/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return merge(load("a.ulx"))


def lowering_problem(body: str) -> str:
    with pytest.raises(LoadError) as caught:
        merged(**{"a.ulx": f"conversation C(p: text) {{ {body} }}"})
    assert caught.value.note is not None
    assert caught.value.note.startswith("note: ulx-ir v0.1 only supports")
    return caught.value.message


def test_the_first_declaration_of_a_name_wins_whatever_its_kind(folder: Path) -> None:
    program = merged(
        **{
            "a.ulx": 'import type T from "b.ulx" import type T from "c.ulx" type X = text',
            "b.ulx": "conversation X() {} judge J() -> Verdict {} type T = text",
            "c.ulx": "validator J() -> Verdict {} benchmark B {} type T = json",
        }
    )
    assert dict(program.conversations) == {}
    assert program.rubrics["J"].kind is tree.RubricKind.JUDGE
    assert list(program.benchmarks) == ["B"]
    assert program.homes["B"].path == folder / "c.ulx"


def test_a_provider_may_be_declared_in_one_file_only(folder: Path) -> None:
    with pytest.raises(LoadError) as caught:
        merged(
            **{
                "a.ulx": 'import provider P from "b.ulx" provider P { vendor: "mock" }',
                "b.ulx": 'provider P { vendor: "mock" }',
            }
        )
    assert caught.value.message == (
        f"provider `P` is declared more than once across `{folder}/a.ulx` and its imports"
    )


def test_prompt_files_take_the_place_of_their_references() -> None:
    program = merged(
        **{
            "a.ulx": 'import judge J from "sub/j.ulx" dataset D: text { [ {q: @none.txt} ] }',
            "sub__j.ulx": "judge J(s: text) -> Verdict { rubric: @r.txt }",
            "sub__r.txt": 'Is {s} {file("more.txt")}?',
            "sub__more.txt": "good\n",
        }
    )
    _, rubric = program.rubrics["J"].fields[0]
    assert isinstance(rubric, tree.TextBlock)
    inner = rubric.parts[3]
    assert isinstance(inner, tree.TextBlock) and inner.parts == ("good\n",)
    _, cell = program.datasets["D"].rows[0].fields[0]
    assert isinstance(cell, tree.TextBlock) and cell.parts == ()


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ('user: """x"""', "C"),
        ('user: """x""" p', "C"),
        ('system: """x""" x = 1 assistant -> y', "C"),
        ('for x in p { user: """x""" }', "C"),
        ('if p { user: """x""" } else {}', "<if>"),
        ('if p {} else { user: """x""" }', "<else>"),
        ('retry(1) { user: """x""" } else p', "<retry>"),
        ('match p { _ => { user: """x""" } }', "<match arm>"),
    ],
)
def test_messages_that_lead_nowhere_are_refused(body: str, where: str) -> None:
    assert lowering_problem(body) == (
        f'a.ulx: lowering failed: DanglingMessages {{ conversation: "{where}" }}'
    )


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("ask chat() { x = 1 } -> y", "C"),
        ("ask chat() { p } -> y", "C"),
        ("x = ask chat() { p }", "<ask expr>"),
        ("if p { ask chat() { assistant -> x } -> y } else {}", "<if>"),
    ],
)
def test_an_ask_takes_nothing_but_messages(body: str, where: str) -> None:
    assert lowering_problem(body) == (
        f'a.ulx: lowering failed: UnsupportedAskBodyStatement {{ conversation: "{where}" }}'
    )


def test_messages_followed_by_an_answer_are_fine() -> None:
    merged(
        **{
            "a.ulx": "conversation C() { assistant -> a "
            'system: """x""" user: """y""" assistant -> b ask chat() {} -> c }'
        }
    )


def test_loading_draws_findings_and_stops_at_errors() -> None:
    out, err = io.StringIO(), io.StringIO()
    Path("a.ulx").write_text("conversation A() { x }")
    assert load_program("a.ulx", out, err) is not None
    assert "`x` is not defined in this scope" in out.getvalue()
    Path("a.ulx").write_text("type A = text type A = text")
    assert load_program("a.ulx", out, err) is None
    assert err.getvalue() == ""
    assert load_program("b.ulx", out, err) is None
    assert err.getvalue() == "error: could not read b.ulx: No such file or directory (os error 2)\n"
