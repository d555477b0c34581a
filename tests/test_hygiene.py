"""Which part may import which: the core works without a screen, and starts without waiting."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "evaltui"
SCREENS = ROOT / "screens"
HEADLESS = ("ulx", "engine", "providers", "suites", "review", "store", "reports")


def _sources(folder: Path) -> list[Path]:
    linked = {folder / name for name in ("screens", "styles", "samples")}
    return [path for path in folder.rglob("*.py") if not linked & set(path.parents)]


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _importers(files: list[Path], *forbidden: str) -> list[str]:
    return sorted(
        {
            f"{path.relative_to(ROOT)}: {name}"
            for path in files
            for name in _imports(path)
            if any(name == bad or name.startswith(f"{bad}.") for bad in forbidden)
        }
    )


def _loaded(code: str, *arguments: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after ``code``."""
    script = f"import sys, json\n{code}\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_only_the_module_that_starts_the_app_imports_textual_or_the_screens() -> None:
    core = [path for path in _sources(PACKAGE) if path != PACKAGE / "tui.py"]
    assert _importers(core, "textual", "evaltui.screens") == []


def test_the_core_loads_without_textual() -> None:
    code = (
        "import importlib, pkgutil, evaltui\n"
        f"for part in {HEADLESS!r}:\n"
        "    package = importlib.import_module('evaltui.' + part)\n"
        "    for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(found.name)\n"
    )
    assert "textual" not in _loaded(code)


def test_screens_touch_neither_sql_nor_the_network_nor_a_provider() -> None:
    forbidden = ("sqlite3", "sqlite_utils", "httpx", "evaltui.providers")
    assert _importers(_sources(SCREENS), *forbidden) == []


def test_screens_open_no_files() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in _sources(SCREENS)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and _opens_a_file(node)
    ]
    assert found == []


def _opens_a_file(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "open"
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    mode = call.args[0] if call.args else None
    return method in ("read_text", "read_bytes", "write_text", "write_bytes") or (
        method == "open" and isinstance(mode, ast.Constant) and isinstance(mode.value, str)
    )


def test_nobody_imports_the_top_level_folder_of_screens() -> None:
    everything = [*_sources(PACKAGE), *_sources(SCREENS), *_sources(ROOT / "tests")]
    assert _importers(everything, "screens") == []


@pytest.mark.parametrize("part", ["models", "errors", "clock", "text"])
def test_the_ground_floor_imports_nothing_above_it(part: str) -> None:
    above = [f"evaltui.{name}" for name in HEADLESS]
    assert _importers([PACKAGE / f"{part}.py"], *above) == []


@pytest.mark.parametrize("part", HEADLESS)
def test_no_part_of_the_core_imports_the_command_line(part: str) -> None:
    files = _sources(PACKAGE / part)
    own = part == "ulx"
    forbidden = ("evaltui.commands", "typer") if own else ("evaltui.commands", "evaltui.cli")
    assert _importers(files, *forbidden) == []


def test_the_version_is_printed_without_loading_anything_heavy() -> None:
    loaded = _loaded("from evaltui.cli import run\nassert run(['--version']) == 0")
    heavy = {"textual", "httpx", "deepdiff", "sqlite_utils", "pydantic", "rich", "typer", "asyncio"}
    assert loaded & heavy == set()


def test_help_loads_no_screen_and_no_network() -> None:
    code = "from evaltui.cli import run\ntry: run(['--help'])\nexcept SystemExit: pass"
    assert _loaded(code) & {"textual", "httpx", "deepdiff", "sqlite_utils", "pydantic"} == set()


def test_a_run_without_a_screen_loads_no_screen_and_no_network(tmp_path: Path) -> None:
    hello = shutil.copytree(
        ROOT / "fixtures/hello", tmp_path / "hello", ignore=shutil.ignore_patterns(".evaltui")
    )
    code = "from evaltui.cli import run\nassert run(['run', sys.argv[1], '--mock', '--ci']) == 1"
    heavy = {"textual", "httpx", "deepdiff", "pydantic", "rich"}
    assert _loaded(code, str(hello)) & heavy == set()


def test_canned_answers_load_no_network(tmp_path: Path) -> None:
    suite = tmp_path / "s.ulx"
    suite.write_text(
        'provider P { vendor: "mock" chat: "m" }\n'
        "dataset D: list<{ n: number }> {[{n: 1}]}\n"
        'conversation C() -> text {\n user: """x"""\n assistant -> r\n r\n}\n'
        "benchmark B {\n dataset: D\n run: C() -> r\n assert r.length > 0\n}\n",
        encoding="utf-8",
    )
    code = (
        "import os; from evaltui.cli import run\nos.chdir(sys.argv[1])\n"
        "assert run(['ulx', 'bench', 's.ulx', 'B']) == 0"
    )
    heavy = {"httpx", "ssl", "asyncio", "pydantic", "sqlite3"}
    assert _loaded(code, str(tmp_path)) & heavy == set()
