"""What ``evaltui check`` finds, where, and what it suggests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.errors import SuiteError
from evaltui.ulx.findings import Finding
from evaltui.ulx.workspace import Workspace

HERE = Path(__file__).parent


def check(folder: Path, entry: str = "main.ulx", **files: str) -> list[Finding]:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_md", ".md").replace("_txt", ".txt")
        path = path if path.suffix else path.with_suffix(".toml" if name == "ulexite" else ".ulx")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    workspace = Workspace(folder)
    workspace.check(entry)
    return workspace.findings


def body(text: str) -> str:
    return f"conversation A(name: text, topic: text) -> text {{\n{text}\n}}\n"


def brief(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(f"{one.file}:{one.line}:{one.column}", one.rule, one.hint) for one in findings]


@pytest.mark.parametrize(
    ("text", "rule", "place", "hint"),
    [
        ("x = nmae", "undefined-name", "2:5-2:9", "did you mean `name`?"),
        ("x = true", "undefined-name", "2:5-2:9", "there is no such literal"),
        ("if name", "undefined-name", "2:1-2:3", "`if` is written `if condition"),
        ('"é日" nmae', "undefined-name", "2:6-2:10", "did you mean `name`?"),
        ('user: """{topik}"""', "undefined-name", "2:11-2:16", "did you mean `topic`?"),
        ('user: """é\\n\\"{topik}"""', "undefined-name", "2:16-2:21", "did you mean"),
        ('user: """a\n\\q {name}\n{ topik }"""', "undefined-name", "4:3-4:8", "did you mean"),
        (
            'user: """{name(\\"a\\\\\\\\b\\", topik)}"""',
            "undefined-name",
            "2:28-2:33",
            "did you mean `topic`?",
        ),
        ("judge Goood(name)", "unknown-judge", "2:1-2:18", "did you mean `Good`?"),
        ('ask chatt() { user: """a""" }', "unknown-capability", "2:1-2:30", "did you mean `chat`"),
        ('ask chat(provider: "Lokal") {}', "unknown-provider", "2:20-2:27", "mean `Local`?"),
        ("ask chat(provider: name) {}", "provider-argument", "2:20-2:24", 'provider: "name"'),
        ("ask transcribe(name) {}", "artifact-type", "2:16-2:20", "it takes audio, video"),
        ("match judge Good(name) { Pass => 1 _ => Fail }", "undefined-name", "2:41-2:45", ""),
        ("match judge Good(name) { Fail => 1 _ => 2 }", "variant-bindings", "2:7-2:23", "`Fail("),
        ("match judge Good(name) { Pass => 1 }", "missing-variants", "2:7-2:23", "add them, or"),
        ("with { a = 1 a = 2 }", "with-duplicate", "2:1-2:21", "rename one"),
        ("retry(2) { assistant -> x }", "retry-without-else", "2:1-2:28", "add `else`"),
    ],
)
def test_places_and_suggestions(
    text: str, rule: str, place: str, hint: str, tmp_path: Path
) -> None:
    others = 'judge Good(s: text) -> Verdict {}\nprovider Local { vendor: "mock" }\n'
    found = check(tmp_path, main=body(text) + others)
    one = next(one for one in found if one.rule == rule)
    assert f"{one.line}:{one.column}-{one.end_line}:{one.end_column}" == place
    assert (hint in one.hint) if hint else not one.hint
    assert one.source_line == (body(text) + others).split("\n")[one.line - 1]
    assert "§" not in one.message


def test_suggestions_come_from_what_is_imported(tmp_path: Path) -> None:
    found = check(
        tmp_path,
        main=(
            'import judge Gooood from "lib.ulx"\nimport judge Talk from "lib.ulx"\n'
            'import judge Good from "libb.ulx"\nimport "lm" as llm\n'
        ),
        lib="judge Good(s: text) -> Verdict {}\nconversation Talk() {}\n",
    )
    assert brief(found) == [
        ("main.ulx:1:1", "import-name", "did you mean `Good`?"),
        (
            "main.ulx:2:1",
            "import-name",
            "there it is a conversation: write `import conversation Talk`",
        ),
        ("main.ulx:3:1", "import-file", "did you mean `lib.ulx`?"),
        ("main.ulx:4:1", "unknown-module", "did you mean `llm`?"),
    ]


def test_syntax_errors_of_all_files_and_other_findings_come_together(tmp_path: Path) -> None:
    found = check(
        tmp_path,
        main='import conversation B from "sub/b.ulx"\n' + body("x = ") + body("y = nmae"),
        sub__b=(
            'conversation B() { user: "x" }\nconversation C() { z }\n'
            'import type T from "../main.ulx"\n'
        ),
    )
    assert brief(found) == [
        ("main.ulx:4:1", "syntax", ""),
        (
            "main.ulx:5:14",
            "duplicate-declaration",
            "rename it; the first one is in line 2, column 14",
        ),
        ("main.ulx:6:5", "undefined-name", "did you mean `name`?"),
        ("sub/b.ulx:1:26", "syntax", 'write the text between three quotes: """..."""'),
        ("sub/b.ulx:2:20", "undefined-name", ""),
        ("sub/b.ulx:3:1", "import-cycle", ""),
        ("sub/b.ulx:3:1", "import-name", ""),
    ]


def test_prompt_files_are_shown_in_themselves(tmp_path: Path) -> None:
    found = check(
        tmp_path,
        main=body(
            "user: @ask.txt\nassistant -> x\nuser: @bad.txt\nassistant -> y\n"
            "user: @no.txt assistant -> z"
        ),
        ask_txt="Grüße {nmae}\r\n",
        bad_txt='{"a": 1}\n',
    )
    assert brief(found) == [
        ("main.ulx:6:7", "prompt-file", ""),
        ("ask.txt:1:8", "undefined-name", "did you mean `name`?"),
        (
            "bad.txt:1:5",
            "prompt-file",
            '`{` begins an interpolation; write `{"{"}` for the character itself',
        ),
    ]
    assert found[1].source_line == "Grüße {nmae}"


def test_a_bad_manifest_is_a_finding_and_hides_only_what_depends_on_it(tmp_path: Path) -> None:
    found = check(
        tmp_path,
        main=body('ask chat(provider: "x") {}\nz'),
        ulexite='[package]\nname = "p\n',
    )
    assert brief(found) == [
        ("main.ulx:3:1", "undefined-name", ""),
        ("ulexite.toml:2:10", "manifest", ""),
    ]


def test_providers_of_the_policy_are_known(tmp_path: Path) -> None:
    (tmp_path / "evaltui.toml").write_text('[providers.Desk]\nvendor = "mock"\nchat = "m"\n')
    found = check(
        tmp_path, main=body('ask chat(provider: "Desk") {}\nask chat(provider: "Desc") {}')
    )
    assert brief(found) == [("main.ulx:3:20", "unknown-provider", "did you mean `Desk`?")]


def test_markdown_findings_stand_in_the_markdown_file(tmp_path: Path) -> None:
    text = (
        "# Say hello\n\n## System\r\nBe kind to {a b}.\n\n## Ask\nHello {name}!\n\n"
        "## Judge\nIs {x} ok?\n"
    )
    found = check(tmp_path, "talk.md", talk_md=text)
    assert [(one.file, one.line, one.column, one.rule) for one in found] == [
        ("talk.md", 4, 15, "syntax"),
        ("talk.md", 10, 5, "undefined-name"),
    ]
    assert brief(check(tmp_path, "no.md", no_md="text")) == [("no.md:1:1", "markdown", "")]
    assert not (tmp_path / ".ulexite").exists()


def test_nothing_outside_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text('{"key": "hidden"}')
    (tmp_path / "p").mkdir()
    found = check(
        tmp_path / "p",
        main='import judge J from "../secret.txt"\n' + body("user: @../secret.txt assistant -> x"),
    )
    assert [one.rule for one in found] == ["outside-project", "outside-project"]
    assert not any("hidden" in one.source_line for one in found)


def test_each_file_is_checked_once(tmp_path: Path) -> None:
    (tmp_path / "lib.ulx").write_text("conversation L() { x }\n")
    for name in "ab":
        (tmp_path / f"{name}.ulx").write_text('import conversation L from "lib.ulx"\n')
    workspace = Workspace(tmp_path)
    for name in ("a.ulx", "b.ulx", "lib.ulx", str(tmp_path / "a.ulx")):
        workspace.check(name)
    assert [one.file for one in workspace.findings] == ["lib.ulx"]
    assert workspace.files == ["a.ulx", "lib.ulx", "b.ulx"]


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.ulx").write_bytes(b"\xff")
    for name, reason in [("bad.ulx", "not UTF-8"), ("no.ulx", "No such file"), (".", "directory")]:
        with pytest.raises(SuiteError, match=reason):
            Workspace(tmp_path).check(name)


FAULTY = {"interp-undefined", "prov-empty", "file-bad-interpolation"}
"""Cases where the reference reports a place that is not the true one."""
UNRUNNABLE = {"ask-body-anything"}
"""Cases that the reference checks without an error and then cannot run."""


def recorded() -> Iterator[Any]:
    for name in ("language-cases.jsonl", "command-cases.jsonl"):
        for line in (HERE / name).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if any(step["command"][0] == "check" for step in case["steps"]):
                yield pytest.param(case, id=case["name"])


@pytest.mark.parametrize("case", recorded())
def test_a_recorded_check_ends_alike_and_points_to_the_same_place(
    case: dict[str, Any], tmp_path: Path
) -> None:
    for step in case["steps"]:
        for path, text in step["files"].items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(text.encode())
        if step["command"][0] != "check" or step["exit"] == 2:
            continue
        workspace = Workspace(tmp_path)
        try:
            workspace.check(step["command"][1])
            failed = any(one.is_error for one in workspace.findings)
        except SuiteError:
            failed = True
        assert failed == (bool(step["exit"]) or case["name"] in UNRUNNABLE)
        places = {f"{one.line}:{one.column}" for one in workspace.findings}
        assert case["name"] in FAULTY or step.get("at") in (None, *places)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    content=st.one_of(
        st.binary(max_size=80), st.text(alphabet='AB(){}"\\é\n@.=: ', max_size=80).map(str.encode)
    )
)
def test_any_file_gets_an_answer(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.ulx").write_bytes(b'conversation A() { user: """' + content)
    (tmp_path / "b.ulx").write_bytes(content)
    (tmp_path / "c.md").write_bytes(b"# T\n" + content)
    for name in ("a.ulx", "b.ulx", "c.md"):
        workspace = Workspace(tmp_path)
        try:
            workspace.check(name)
        except SuiteError as error:
            assert "UTF-8" in str(error)
        assert all(one.message and one.line >= 1 <= one.column for one in workspace.findings)
