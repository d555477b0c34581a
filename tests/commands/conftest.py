"""The command line, called in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from evaltui.cli import run

if TYPE_CHECKING:
    from tests.conftest import UlxProject

NOW = "2026-03-01"


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """The standard output as JSON."""
        return json.loads(self.out)


Evaltui = Callable[..., Said]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, project: UlxProject) -> None:
    """The project is the working folder, the clock stands, nobody is at the desk, no CI."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("EVALTUI_NOW", NOW)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("EVALTUI_REVIEWER", "ana")


@pytest.fixture
def evaltui(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Evaltui:
    """Calls ``evaltui`` with words; answers exit code and output."""

    def call(*words: str) -> Said:
        monkeypatch.setattr("sys.argv", ["evaltui", *words])
        capsys.readouterr()
        code = run(words)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return call
