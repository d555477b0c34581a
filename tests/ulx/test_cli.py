"""The command line of ``evaltui ulx``."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from evaltui.ulx.cli import COMMANDS, main
from evaltui.ulx.command import Command


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(arguments, out, err)
    return code, out.getvalue(), err.getvalue()


def test_the_version_is_that_of_the_reference() -> None:
    assert run("--version") == (0, "ulx 0.1.5\n", "")


@pytest.mark.parametrize(
    "arguments",
    [[], ["parse"], ["nonsense"], ["parse", "a", "b"], ["fmt", "a", "--check", "--check"]],
)
def test_arguments_that_do_not_fit_are_told_on_stderr(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and err


def test_help_is_no_error() -> None:
    code, out, _ = run("fmt", "--help")
    assert code == 0 and "--check" in out


def test_a_command_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command("x", lambda parser: None, lambda options, out, err: out.write("hi") and 7)
    monkeypatch.setitem(COMMANDS, "new", command)
    assert run("new") == (7, "hi", "")


def test_formatting_leaves_a_canonical_file_alone() -> None:
    Path("a.ulx").write_text("type A=text")
    assert run("fmt", "--check", "a.ulx") == (1, "would reformat a.ulx\n", "")
    assert run("fmt", "a.ulx") == (0, "formatted a.ulx\n", "")
    before = Path("a.ulx").stat().st_mtime_ns
    assert run("fmt", "a.ulx") == (0, "", "")
    assert Path("a.ulx").stat().st_mtime_ns == before


def test_a_markdown_file_can_be_compiled_to_a_file() -> None:
    Path("a.txt").write_text("# T\nhi")
    assert run("from-md", "a.txt", "-o", "b.ulx") == (0, "wrote b.ulx\n", "")
    assert run("parse", "b.ulx") == (0, "OK: 0 import(s), 1 declaration(s)\n", "")
    Path("a.txt").write_text('# T\nhi """ ;')
    code, out, err = run("from-md", "a.txt")
    assert code == 1 and "(generated):2:19" in out
    assert err == "error: internal error: the .ulx generated from a.txt does not parse\n"


def test_files_that_cannot_be_read_or_written() -> None:
    Path("bad.ulx").write_bytes(b"\xff")
    Path("a.md").write_text("# T\nhi")
    assert run("parse", "bad.ulx")[2] == (
        "error: could not read bad.ulx: stream did not contain valid UTF-8\n"
    )
    assert run("manifest")[2] == (
        "error: could not read ulexite.toml: No such file or directory (os error 2)\n"
    )
    assert run("from-md", "a.md", "-o", "no/b.ulx")[2] == (
        "error: could not write no/b.ulx: No such file or directory (os error 2)\n"
    )
    assert run("init", "p", "a.md")[0] == 1


def test_a_new_package_checks() -> None:
    assert run("init", 'we "quote"', "p/")[1].startswith("created p/ulexite.toml\n")
    Path("p/ulexite.toml").write_text(Path("p/ulexite.toml").read_text().replace('we \\"q', "q"))
    assert run("init", "x", "p")[2] == "error: p/ulexite.toml already exists\n"
    assert run("init", "plain", "q")[0] == 0
    assert run("check", "q/main.ulx") == (0, "OK: 1 module(s), no diagnostics\n", "")
