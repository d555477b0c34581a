"""Findings about programs that check in the reference but cannot run, as ``evaltui run`` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.ulx.findings import Finding
from evaltui.ulx.workspace import Workspace

RUNNABLE = """
dataset Rows: [{id: text}] { [{id: "only"}] }
benchmark B { dataset: Rows assert 1 == 1 }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(**files: str) -> list[Finding]:
    for name, text in files.items():
        Path(f"{name}.ulx").write_text(text)
    workspace = Workspace(Path())
    workspace.check("main.ulx")
    return workspace.findings


def brief(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [
        (f"{one.file}:{one.line}:{one.column}-{one.end_column}", one.rule, one.severity.value)
        for one in findings
    ]


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ('user: """a"""', ["3-16"]),
        ('system: """a""" user: """b"""', ["19-32"]),
        ('user: """a""" x = 1 assistant -> y', ["3-16"]),
        ('user: """a""" p', ["3-16"]),
        ('if p { user: """a""" } else { user: """b""" }', ["10-23", "33-46"]),
        ('match p { _ => { user: """a""" } }', ["20-33"]),
    ],
)
def test_messages_that_lead_nowhere_are_errors(body: str, places: list[str]) -> None:
    found = check(main=f"conversation C(p: text) {{\n  {body}\n}}\n")
    assert brief(found) == [
        (f"main.ulx:2:{place}", "dangling-messages", "error") for place in places
    ]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("ask chat() { x = 1 } -> y", "16-21"),
        ('ask chat() { user: """a""" p } -> y', "30-31"),
        ("x = ask chat() { if p {} else {} }", "20-35"),
    ],
)
def test_what_an_ask_cannot_hold_is_an_error(body: str, place: str) -> None:
    found = check(main=f"conversation C(p: text) {{\n  {body}\n}}\n")
    assert brief(found)[0] == (f"main.ulx:2:{place}", "ask-body", "error")


def test_a_provider_in_two_files_is_an_error() -> None:
    provider = 'provider P { vendor: "mock" chat: "m" }\n'
    found = check(
        main='import conversation Q from "other.ulx"\n' + provider,
        other=provider + "conversation Q() { 1 }\n",
    )
    assert brief(found) == [("other.ulx:1:10-11", "duplicate-declaration", "error")]
    assert "main.ulx" in found[0].message


def test_providers_that_are_made_from_each_other_are_errors() -> None:
    found = check(main='provider P from "Q" { chat: "m" }\nprovider Q from "P" { chat: "m" }\n')
    assert brief(found) == [
        ("main.ulx:1:10-11", "provider-source", "error"),
        ("main.ulx:2:10-11", "provider-source", "error"),
    ]
    assert found[0].hint.startswith("`Q` is a provider of the program")
    alone = check(main='provider P from "Q" { chat: "m" }\n')
    assert brief(alone) == [("main.ulx:1:10-11", "provider-source", "warning")]


def test_a_bad_manifest_hides_what_depends_on_it() -> None:
    Path("ulexite.toml").write_text("[package")
    found = check(main='provider P from "Q" { chat: "m" }\n')
    assert [one.rule for one in found] == ["manifest"]


def test_datasets_that_are_not_there_are_warnings() -> None:
    found = check(
        main='dataset Rows: [{id: text}] { from "rows.jsonl" }\n'
        "benchmark A { dataset: Row }\nbenchmark B {}\n"
    )
    assert brief(found) == [
        ("main.ulx:1:9-13", "dataset", "warning"),
        ("main.ulx:2:24-27", "dataset", "warning"),
        ("main.ulx:3:11-12", "dataset", "warning"),
    ]
    assert [one.hint for one in found] == [
        "",
        "did you mean `Rows`?",
        "name one: `dataset: Name`",
    ]


def test_the_dataset_of_a_benchmark_may_be_in_any_file() -> None:
    lib = "benchmark B { dataset: Rows }\nconversation Q() { 1 }\n"
    main = 'import conversation Q from "lib.ulx"\ndataset Rows: [{id: text}] { [] }\n'
    assert check(main=main, lib=lib) == []


def test_rows_outside_the_project_are_an_error() -> None:
    found = check(main='dataset Rows: [{id: text}] { from "../rows.jsonl" }\n')
    assert brief(found) == [("main.ulx:1:9-13", "outside-project", "error")]


def test_what_does_not_parse_is_not_searched_for_more() -> None:
    found = check(main='conversation C() { user: "a" }\nbenchmark B { asert 1 }\n')
    assert {one.rule for one in found} == {"syntax"}


def test_a_run_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    Path("main.ulx").write_text('conversation C() { user: """a""" }\n' + RUNNABLE)
    assert run(["run", "main.ulx", "--ci", "--mock"]) == 2
    assert capsys.readouterr().err == (
        "evaltui: error: main.ulx:1:20: nothing asks for an answer to this message, so the "
        "program cannot run; let `assistant -> name` follow the messages\n"
    )
