"""Ulexite programs as suites."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.errors import ConfigurationError, EvaltuiError, SuiteError
from evaltui.models import Mode
from evaltui.project import load_policy
from evaltui.suites import kind_of
from evaltui.suites.base import LoadedSuite, LoadOptions
from evaltui.suites.discovery import find_suites

if TYPE_CHECKING:
    from tests.conftest import UlxProject


def load(project: UlxProject, **options: object) -> LoadedSuite:
    policy = load_policy(project.folder)
    known = LoadOptions(project.folder, policy, **options)  # type: ignore[arg-type]
    return kind_of(project.suite).load(project.suite, known)


def change(project: UlxProject, old: str, new: str, name: str = "s.ulx") -> None:
    path = project.folder / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_section_is_a_benchmark_and_a_case_a_row(project: UlxProject) -> None:
    suite = load(project)
    (section,) = suite.sections
    assert (section.kind, section.suite, section.benchmark) == ("ulexite", "s.ulx", "Replies")
    assert (section.folder, section.cases) == (str(project.folder.resolve()), 2)
    assert [spec.case_id for spec in suite.specs] == ["a", "b"]
    assert suite.specs[0].row == '{"id":"a","text":"one"}'


def test_who_is_asked_is_told(project: UlxProject) -> None:
    suite = load(project)
    assert suite.mode is Mode.SCRIPTED
    assert suite.instrument == "Desk (scripted writer-1, reader-1)"
    assert [one["model"] for one in json.loads(suite.asked)] == ["writer-1", "reader-1"]
    mock = load(project, mock=True)
    assert (mock.mode, mock.instrument) == (Mode.MOCK, "Desk (mock), mock")


def test_canned_answers_are_no_part_of_the_instrument(project: UlxProject) -> None:
    before = load(project).asked
    project.answers({"text": "other"})
    assert load(project).asked == before


def test_benchmarks_can_be_chosen(project: UlxProject) -> None:
    second = "\nbenchmark Other {\n  dataset: Rows\n  assert 1\n}\n"
    project.write("s.ulx", project.suite.read_text() + second)
    assert [one.benchmark for one in load(project).sections] == ["Replies", "Other"]
    suite = load(project, benchmarks=("Other",))
    assert [one.benchmark for one in suite.sections] == ["Other"]
    assert suite.offers == ("Replies", "Other")
    assert [spec.index for spec in load(project).specs] == [0, 1, 2, 3]


def test_digests_change_with_what_they_cover_and_with_nothing_else(
    project: UlxProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    change(project, 'user: """{text}"""', "user: @prompts/ask.md")
    project.write("prompts/ask.md", "Answer: {text}")
    (before,) = load(project).sections
    project.write("prompts/ask.md", "Please answer: {text}")
    (prompt,) = load(project).sections
    assert prompt.suite_digest != before.suite_digest
    project.write("prompts/ask.md", "Answer: {text}")
    project.rows({"id": "a", "text": "one"}, {"id": "b", "text": "deux"})
    (rows,) = load(project).sections
    assert rows.suite_digest == before.suite_digest
    assert rows.dataset_digest != before.dataset_digest
    project.rows({"id": "a", "text": "one"}, {"id": "b", "text": "two"})
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(project.folder, elsewhere)
    (copied,) = load(type(project)(elsewhere)).sections
    assert (copied.suite_digest, copied.dataset_digest) == (
        before.suite_digest,
        before.dataset_digest,
    )


def test_columns_that_run_does_not_read_are_no_part_of_an_id(project: UlxProject) -> None:
    project.rows({"text": "one", "note": "x"}, {"text": "two"})
    first = [spec.case_id for spec in load(project).specs]
    project.rows({"text": "one", "note": "y"}, {"text": "two"})
    assert [spec.case_id for spec in load(project).specs] == first


def test_slices_come_from_the_policy(project: UlxProject) -> None:
    project.write("evaltui.toml", "[slices]\nwords = 'text'\n" + _policy(project))
    assert load(project).specs[1].slices == ("words=two",)


def _policy(project: UlxProject) -> str:
    return (project.folder / "evaltui.toml").read_text()


def test_declared_scripted_providers_read_answers_beside_the_suite(project: UlxProject) -> None:
    project.write("evaltui.toml", "")
    declared = (
        'provider Own { vendor: "scripted" chat: { model: "m", answers: "answers.jsonl" }'
        ' judge: { model: "j", answers: "answers.jsonl", when_exhausted: "cycle" } }\n'
    )
    project.write("s.ulx", declared + project.suite.read_text())
    ran = project.run()
    assert set(ran.outcomes.values()) == {"pass"}
    assert ran.plan.run.instrument == "Own (scripted m, j)"


def test_a_manifest_may_name_a_scripted_provider(project: UlxProject) -> None:
    project.write("evaltui.toml", "")
    project.write(
        "ulexite.toml",
        '[package]\nname = "p"\nversion = "0.1.0"\nulexite = "^0.1"\n'
        '[providers.Own]\nvendor = "scripted"\n'
        'chat = { model = "m", params = { answers = [ { text = "inline" } ] } }\n'
        'judge = { model = "j", params = { answers = [ { verdict = "PASS" } ] } }\n',
    )
    ran = project.run()
    assert ran.results["a"].output is not None and "inline" in ran.results["a"].output


def test_a_call_may_be_pinned_to_a_provider_of_the_policy(project: UlxProject) -> None:
    change(
        project,
        '  user: """{text}"""\n  assistant -> reply\n  reply',
        '  ask chat(provider: "Desk") { user: """{text}""" }',
    )
    assert set(project.run().outcomes.values()) == {"pass"}
    assert set(project.run(mock=True).outcomes.values()) == {"pass"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "ulexite.toml",
            '[package]\nname = "p"\nversion = "0.1.0"\nulexite = "^0.1"\n'
            '[providers.Desk]\nvendor = "mock"\nchat = "m"\n',
            "provider `Desk` is named in both ulexite.toml and evaltui.toml",
        ),
        (
            "evaltui.toml",
            '[providers.Far]\nvendor = "openai_compatible"\nchat = "m"\n',
            "base_url",
        ),
        ("evaltui.toml", '[providers.X]\nvendor = "nobody"\nchat = "m"\n', "unknown provider"),
    ],
)
def test_providers_that_cannot_be_set_up_are_named(
    project: UlxProject, name: str, text: str, message: str
) -> None:
    project.write(name, text)
    with pytest.raises(ConfigurationError, match=message):
        load(project)


def test_a_suite_reaches_no_file_outside_the_project(
    project: UlxProject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret.jsonl"
    secret.write_text('{"id": "a"}\n')
    for old, new in (
        ('from "rows.jsonl"', f'from "{secret}"'),
        ('user: """{text}"""', f'user: file("{secret}")'),
    ):
        text = project.suite.read_text()
        change(project, old, new)
        with pytest.raises(EvaltuiError, match="outside the project"):
            load(project)
        project.write("s.ulx", text)
    link = project.folder / "link.jsonl"
    link.symlink_to(secret)
    change(project, "rows.jsonl", "link.jsonl")
    with pytest.raises(SuiteError, match="outside the project"):
        load(project)


def test_diagnostics_name_file_line_and_column(project: UlxProject) -> None:
    change(project, "judge Kind(reply)", "judge Unkind(reply)")
    assert any(":16:" in warning and "Unkind" in warning for warning in load(project).warnings)
    change(project, "type Row", "type Row = text\ntype Row")
    with pytest.raises(SuiteError) as caught:
        load(project)
    assert caught.value.place is not None and caught.value.place.endswith("s.ulx:3:6")


def test_folders_are_searched_without_their_hidden_parts(project: UlxProject) -> None:
    text = project.suite.read_text()
    for name in ("b/two.ulx", "a/one.ulx", ".hidden/no.ulx", "snapshots/no.ulx"):
        project.write(name, text)
    project.write("a/library.ulx", "type T = { benchmark_id: text }")
    found = [path.relative_to(project.folder) for path, _ in find_suites([project.folder])]
    assert found == [Path("s.ulx"), Path("a/one.ulx"), Path("b/two.ulx")]


def test_a_suite_named_twice_is_run_once(project: UlxProject) -> None:
    assert len(find_suites([project.suite, project.folder, project.suite])) == 1


def test_a_suite_that_cannot_be_read_is_not_passed_over(project: UlxProject) -> None:
    (project.folder / "gone.ulx").symlink_to("nowhere.ulx")
    found = [path.name for path, _ in find_suites([project.folder])]
    assert found == ["gone.ulx", "s.ulx"]


@pytest.mark.parametrize("source", ["/etc/passwd", "../../../../etc/passwd", "/dev/zero"])
def test_a_dataset_elsewhere_is_not_even_looked_into(project: UlxProject, source: str) -> None:
    change(project, '"rows.jsonl"', f'"{source}"')
    with pytest.raises(SuiteError, match=r"reading dataset `Rows` at .*: outside the project"):
        load(project)


def test_a_dataset_name_that_no_file_can_have_is_named(project: UlxProject) -> None:
    change(project, '"rows.jsonl"', '"a\0b"')
    with pytest.raises(SuiteError, match="file name contained an unexpected NUL byte"):
        load(project)


def test_benchmarks_that_differ_by_case_only_are_warned_about(project: UlxProject) -> None:
    text = project.suite.read_text()
    project.suite.write_text(text + "\nbenchmark replies {" + text.split("benchmark Replies {")[1])
    assert load(project).warnings == (
        "the benchmarks Replies and replies differ by case only: "
        "on some systems they would share their baselines",
    )
