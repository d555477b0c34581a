"""Sources that are broken, huge or deep are checked and formatted, or refused, without a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.errors import SuiteError
from evaltui.ulx.rewriting import SourceToFormat
from evaltui.ulx.workspace import Workspace

PROGRAM = '''\
import judge J from "b.ulx"
import "llm" as llm
/// A talk.
conversation A(a: text, b: list<text>) -> text { // talks
  system: @p.txt
  user: """Grüße {a} \\n "{f("x")}" /* no comment */"""
  with { m = a n = -1.5 }
  for x in b { while not (x == a) { break } }
  match judge J(a) { Pass => a Fail(r) =>
  retry(2) { assistant -> q } else escalate(h, r: r) _ => {} }
  if a < 3 and b > (4) { ask chat(provider: "p") { user: """q""" } -> z } else { {k: 1} }
}
dataset D: [{a: text}] { [{a: "1"}, /* two */ {a: "2"},] }
benchmark B { dataset: D run: A(a: $.a) -> r expect r satisfies judge J(r) with threshold(1) }
provider P from "x" { chat: {model: "m", t: 0.5} }
'''.encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A program in which some bytes were replaced, removed or repeated."""
    content = bytearray(PROGRAM)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content) - 1))
        length = draw(st.integers(0, 8))
        piece = draw(st.sampled_from([b"", b"{", b"}", b'"', b"\\", b"\xff", b"/*", content[at:]]))
        content[at : at + length] = piece[:400]
    return bytes(content)


def answered(folder: Path, name: str) -> None:
    """Check and format a file of ``folder``; only expected refusals may come."""
    workspace = Workspace(folder)
    try:
        workspace.check(name)
        formatted = SourceToFormat(str(folder / name)).formatted
    except SuiteError as error:
        assert str(error)
    else:
        assert formatted
    assert all(finding.message for finding in workspace.findings)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=damaged())
def test_a_damaged_program_is_answered(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.ulx").write_bytes(content)
    (tmp_path / "b.ulx").write_bytes(content)
    answered(tmp_path, "a.ulx")


DEEP = 900


@pytest.mark.parametrize(
    "body",
    [
        "x = " + "(" * DEEP + "a" + ")" * DEEP,
        "x = " + "(" * DEEP + "a",
        "if a { " * (DEEP // 2) + "} else {} " * (DEEP // 2),
        "ask c() { " * (DEEP // 2),
        "x = " + "- not " * 5_000 + "a",
        "x = a" + ".b(c)" * 2_000,
        "x = a" + " + b" * 5_000,
        "x = y\n" * 5_000,
        "x = 1;\n" * 5_000,
        'user: """' + "{b} \\n" * 1_000 + '"""',
        'x = "open\n' * 1_001,
        "/* a */ // b\n" * 5_000,
        "/*" + "* " * 20_000,
        "\0" * 20_000,
        "}" * 5_000,
        "{" * 5_000,
    ],
    ids=lambda body: repr(body[:12]),
)
def test_a_deep_or_long_program_is_answered(body: str, tmp_path: Path) -> None:
    (tmp_path / "a.ulx").write_text(f"conversation A(a: text) {{ {body} }}", encoding="utf-8")
    answered(tmp_path, "a.ulx")


def test_a_long_chain_of_imports_is_followed(tmp_path: Path) -> None:
    for number in range(300):
        text = f'import type T from "{number + 1}.ulx"\n' if number < 299 else "type T = text\n"
        (tmp_path / f"{number}.ulx").write_text(text)
    workspace = Workspace(tmp_path)
    workspace.check("0.ulx")
    assert len(workspace.files) == 300
    assert len(workspace.findings) == 298


def test_names_that_no_file_can_have_are_findings(tmp_path: Path) -> None:
    (tmp_path / "a.ulx").write_text(
        'import judge J from "a\0b"\nimport judge K from "' + "x" * 5_000 + '"\n'
        'conversation A() { user: file("p\0q") assistant -> r user: file("'
        + "y/" * 3_000
        + '") assistant -> s }'
    )
    workspace = Workspace(tmp_path)
    workspace.check("a.ulx")
    assert [one.rule for one in workspace.findings] == ["import-file"] * 2 + ["prompt-file"] * 2
