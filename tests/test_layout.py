"""The folders at the top of the repository are the ones that the package installs."""

from __future__ import annotations

import os
import stat
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

import evaltui

ROOT = Path(__file__).resolve().parent.parent
LINKS = {"screens": "../screens", "styles": "../styles", "samples": "../fixtures"}


@pytest.mark.parametrize(("name", "target"), LINKS.items())
def test_a_folder_of_the_package_is_a_relative_link_to_its_home(name: str, target: str) -> None:
    link = ROOT / "evaltui" / name
    assert link.is_symlink(), f"{link} must be a link: check out with core.symlinks=true"
    assert str(link.readlink()) == target
    assert link.is_dir()


def test_links_are_committed_as_links() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "--stage", *(f"evaltui/{name}" for name in LINKS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    modes = {line.split("\t")[1]: line.split()[0] for line in listing.splitlines()}
    assert modes == dict.fromkeys((f"evaltui/{name}" for name in LINKS), "120000")


def test_the_package_says_that_it_is_typed_and_which_version_it_is() -> None:
    assert files("evaltui").joinpath("py.typed").is_file()
    assert evaltui.__version__.count(".") == 2


def test_the_packaged_sample_can_be_read_as_a_resource() -> None:
    assert files("evaltui").joinpath("samples/demo/evaltui.toml").is_file()


def test_the_ci_script_can_be_run() -> None:
    assert (ROOT / ".ci/run").stat().st_mode & stat.S_IXUSR
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_the_readme_starts_with_two_commands_that_set_up_by_themselves() -> None:
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    shown, tested = block.strip().splitlines()[1:]
    assert shown.startswith("python3 -m venv ")
    assert shown.endswith("evaltui demo")
    assert tested.startswith("python3 -m venv ")
    assert "pytest" in tested.rsplit(" && ", 1)[1]
