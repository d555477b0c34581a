"""Loading files, imports and dependencies (language specification 4.1)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evaltui.ulx.modules import LoadedProgram, LoadError, load

PACKAGE = '[package]\nname = "p"\nversion = "1"\nulexite = "x"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path.resolve()
    monkeypatch.chdir(root)
    return root


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def problem(entry: str, root: Path | None = None) -> str:
    with pytest.raises(LoadError) as caught:
        load(entry, root=root)
    return caught.value.message


def names(program: LoadedProgram, folder: Path) -> list[str]:
    return [str(module.path.relative_to(folder)) for module in program.modules]


def test_the_entry_comes_first_and_the_others_by_path(folder: Path) -> None:
    write(
        {
            "m/main.ulx": 'import type A from "../z.ulx" import type B from "./a/b.ulx"',
            "z.ulx": 'import type B from "m/a/b.ulx" type A = text',
            "m/a/b.ulx": "type B = text",
            "m/unused.ulx": "type C = text",
        }
    )
    program = load("m/main.ulx")
    assert names(program, folder) == ["m/main.ulx", "m/a/b.ulx", "z.ulx"]
    assert (program.typed, program.base) == ("m/main.ulx", Path("m"))
    assert program.entry.targets == (folder / "z.ulx", folder / "m/a/b.ulx")


def test_module_imports_load_nothing(folder: Path) -> None:
    write({"a.ulx": 'import "nothing.ulx" as n'})
    assert load("a.ulx").entry.targets == (None,)


def test_a_link_and_its_target_are_one_file(folder: Path) -> None:
    write(
        {
            "a.ulx": 'import type A from "b.ulx" import type A from "c.ulx"',
            "b.ulx": "type A = text",
        }
    )
    Path("c.ulx").symlink_to("b.ulx")
    assert names(load("a.ulx"), folder) == ["a.ulx", "b.ulx"]


def test_files_that_cannot_be_read(folder: Path) -> None:
    write({"a.ulx": 'import type A from "./x/../no.ulx"', "b.ulx": 'import type A from "."'})
    Path("c.ulx").write_bytes(b"\xff")
    assert problem("no.ulx") == "could not read no.ulx: No such file or directory (os error 2)"
    assert problem("a.ulx") == (
        f"could not read {folder}/./x/../no.ulx: No such file or directory (os error 2)"
    )
    assert problem("b.ulx") == f"could not read {folder}: Is a directory (os error 21)"
    assert problem("c.ulx") == (
        f"could not read {folder}/c.ulx: stream did not contain valid UTF-8"
    )
    assert problem("a\0b.ulx").startswith("could not read a\0b.ulx: ")


def test_a_cycle_is_refused(folder: Path) -> None:
    write(
        {
            "a.ulx": 'import type B from "b.ulx" type A = text',
            "b.ulx": 'import type A from "a.ulx" type B = text',
            "self.ulx": 'import type S from "self.ulx"',
        }
    )
    assert problem("a.ulx") == f"import cycle detected at {folder}/a.ulx"
    assert problem("self.ulx") == f"import cycle detected at {folder}/self.ulx"


def test_a_long_chain_of_imports_is_no_cycle() -> None:
    for number in range(600):
        write({f"{number}.ulx": f'import type A from "{number + 1}.ulx"'})
    write({"600.ulx": "type A = text"})
    assert len(load("0.ulx").modules) == 601


def test_a_file_that_does_not_parse_is_dumped(folder: Path) -> None:
    write({"a.ulx": 'import type A from "b.ulx"', "b.ulx": "type"})
    assert problem("a.ulx").startswith(
        f"{folder}/b.ulx failed to parse: [Simple {{ span: 4..4, reason: Unexpected"
    )


def test_path_dependencies_serve_every_file(folder: Path) -> None:
    write(
        {
            "p/ulexite.toml": PACKAGE + '[dependencies]\nlib = { path = "../lib" }\nold = "1"\n',
            "p/main.ulx": 'import type A from "sub/a.ulx"',
            "p/sub/a.ulx": 'import type B from "lib/b.ulx" type A = text',
            "lib/b.ulx": "type B = text",
            "p/old.ulx": 'import type C from "old/c.ulx"',
            "p/plain.ulx": 'import type C from "lib"',
        }
    )
    assert names(load("p/main.ulx"), folder) == ["p/main.ulx", "lib/b.ulx", "p/sub/a.ulx"]
    assert problem("p/old.ulx") == (
        "dependency `old` has no `path`; git/registry dependency fetching is not implemented yet"
    )
    assert problem("p/plain.ulx").startswith(f"could not read {folder}/p/lib: ")


def test_a_broken_manifest_is_fatal() -> None:
    write({"a.ulx": "", "ulexite.toml": PACKAGE.replace('"p"', '""')})
    assert problem("a.ulx") == "package.name must not be empty"


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_git_dependencies_are_cloned_once(folder: Path) -> None:
    write({"origin/b.ulx": "type B = text"})
    git("init", "-q", "origin")
    git("-C", "origin", "add", ".")
    git("-C", "origin", "commit", "-qm", "first")
    git("-C", "origin", "tag", "v1")
    write({"origin/b.ulx": "type Other = text"})
    git("-C", "origin", "commit", "-qam", "second")
    write(
        {
            "p/ulexite.toml": PACKAGE
            + f'[dependencies]\nlib = {{ git = "{folder}/origin", tag = "v1" }}\n',
            "p/main.ulx": 'import type B from "lib/b.ulx"',
        }
    )
    first = load("p/main.ulx")
    (folder / "origin").rename(folder / "gone")
    assert load("p/main.ulx").modules == first.modules
    assert first.modules[1].source == "type B = text"
    assert first.modules[1].path.parent.parent == folder / "p/.ulexite/git-deps"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('git = "{folder}/none"', "dependency `d`: failed to clone `{folder}/none`: "),
        ('git = "{folder}/r", tag = "v9"', "dependency `d`: failed to check out tag `v9`: "),
        ('git = "{folder}/r", tag = "-f"', "dependency `d`: failed to check out tag `-f`: "),
    ],
)
def test_a_git_dependency_that_cannot_be_fetched(folder: Path, entry: str, message: str) -> None:
    git("init", "-q", "r")
    git("-C", "r", "commit", "-qm", "empty", "--allow-empty")
    entry = entry.replace("{folder}", str(folder))
    write({"a.ulx": "", "ulexite.toml": f"{PACKAGE}[dependencies]\nd = {{ {entry} }}\n"})
    assert problem("a.ulx").startswith(message.replace("{folder}", str(folder)))
    assert list(Path(".ulexite/git-deps").iterdir()) == []


def test_imports_can_be_confined_to_the_project(folder: Path) -> None:
    write(
        {
            "out.ulx": "type A = text",
            "p/in.ulx": 'import type A from "main.ulx"',
            "p/main.ulx": '\nimport type A from "../out.ulx"',
        }
    )
    assert len(load("p/main.ulx").modules) == 2
    assert problem("p/in.ulx", root=folder / "p") == (
        f"{folder}/p/main.ulx:2: `{folder}/p/../out.ulx` is outside the project {folder}/p"
    )


def test_a_markdown_entry_is_compiled_first(folder: Path) -> None:
    write({"docs/hi.MD": "# Say hi\nHello {name}"})
    program = load("docs/hi.MD")
    assert program.entry.path.parent == folder / ".ulexite/generated"
    assert program.base == Path("docs")
    assert problem("no.md") == "could not read no.md: No such file or directory (os error 2)"
