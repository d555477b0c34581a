"""Sources without end, and sources that would grow without end, are refused at once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from evaltui.cli import run
from evaltui.ulx.cli import main
from evaltui.ulx.positions import line_and_column
from evaltui.ulx.reading import LARGEST_SOURCE

BENCHMARK = "dataset D: [{a: text}] { [{a: %s}] }\nbenchmark B { dataset: D assert 1 == 1 }\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ulx(*arguments: str) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(arguments, out, err), out.getvalue() + err.getvalue()


@pytest.mark.parametrize("file", ["large.ulx", "/dev/zero"])
@pytest.mark.parametrize(
    "command",
    [
        *("parse", "check", "fmt", "from-md", "manifest"),
        *("bench F B", "run F C", "plan F C", "eval calibrate F D J"),
    ],
)
def test_a_source_of_more_than_two_megabytes_is_refused(command: str, file: str) -> None:
    Path("large.ulx").write_bytes(b"// x\n" * (LARGEST_SOURCE // 5 + 1))
    words = command.replace("F", file).split()
    code, said = ulx(*(words if file in words else [*words, file]))
    assert code == 1
    assert "could not read" in said and said.endswith(": it is larger than 2 MB\n")


@pytest.mark.parametrize("command", ["check", "fmt"])
@pytest.mark.parametrize("file", ["large.ulx", "/dev/zero"])
def test_check_and_fmt_refuse_it_too(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("large.ulx").write_bytes(b"// x\n" * (LARGEST_SOURCE // 5 + 1))
    assert run([command, file]) == 2
    expected = f"evaltui: error: {file}: cannot be read: it is larger than 2 MB\n"
    assert capsys.readouterr().err == expected


def test_a_run_refuses_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("large.ulx").write_bytes(b"benchmark B {}\n" + b"// x\n" * (LARGEST_SOURCE // 5))
    assert run(["run", "large.ulx", "--ci", "--mock"]) == 2
    assert "it is larger than 2 MB" in capsys.readouterr().err


def test_datasets_may_be_larger_but_must_end() -> None:
    Path("rows.jsonl").write_text('{"a": "%s"}\n' % ("x" * 2_500_000))
    Path("a.ulx").write_text(
        'dataset D: [{a: text}] { from "rows.jsonl" }\n'
        "benchmark B { dataset: D assert $.a.length == 2500000 }\n"
    )
    assert ulx("bench", "a.ulx", "B", "--mock") == (0, "row 0: PASS\nB: 1/1 row(s) passed\n")


@pytest.mark.parametrize("every", [2, 14], ids=["doubling", "all of all"])
def test_prompt_files_that_multiply_are_refused(
    every: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        names = [number + 1] * 2 if every == 2 else range(14)
        Path(f"{number}.txt").write_text(" ".join(f"{{@{name}.txt}}" for name in names))
    Path("40.txt").write_text("end")
    Path("talk.ulx").write_text("conversation A() { user: @0.txt assistant -> r r }")
    assert ulx("check", "talk.ulx")[0] == 1
    assert run(["check", "talk.ulx"]) == 1
    assert "more than 1000 prompt files are included here" in capsys.readouterr().out


def test_prompt_files_that_multiply_in_a_row_are_refused() -> None:
    for number in range(40):
        Path(f"{number}.txt").write_text(f"{{@{number + 1}.txt}}" * 2)
    Path("40.txt").write_text("end")
    Path("rows.ulx").write_text(BENCHMARK % "@0.txt")
    code, said = ulx("bench", "rows.ulx", "B", "--mock")
    assert code == 1 and said.startswith("error: more than 1000 prompt files are included by ")


def test_one_prompt_may_be_used_in_many_places() -> None:
    Path("p.txt").write_text("{@q.txt}")
    Path("q.txt").write_text("hi")
    Path("a.ulx").write_text("conversation A() {" + " x = @p.txt" * 2_000 + " }")
    assert ulx("check", "a.ulx") == (0, "OK: 1 module(s), no diagnostics\n")


def test_a_report_shows_the_part_of_a_long_line_that_it_is_about() -> None:
    names = " ".join(f"x = n{number}" for number in range(20_000))
    Path("a.ulx").write_text(f"conversation A() {{ {names} }}")
    code, said = ulx("check", "a.ulx")
    assert code == 0
    assert said.count("is not defined in this scope\n") == 2 * 20_000
    assert len(said) < 20_000 * 6_000


def test_places_are_found_without_reading_the_source_again() -> None:
    source = "é\nxé é" * 100_000
    last = len(source.encode())
    assert line_and_column(source, 0) == (1, 1)
    assert line_and_column(source, 2) == (1, 2)
    assert line_and_column(source, 3) == (2, 1)
    assert line_and_column(source, 6) == (2, 3)
    for _ in range(20_000):
        assert line_and_column(source, last) == (100_001, 5)
    assert line_and_column("ab\ncd", 99) == (2, 3)
