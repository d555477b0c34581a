"""The real demo, really run, and the command line as a person or a CI job calls it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from evaltui import demo
from evaltui.cli import run
from evaltui.clock import Ids, system_clock

PATIENCE_S = 20.0
_UNSET = ("CI", "EVALTUI_NOW", "EVALTUI_REVIEWER", "PYTHONUNBUFFERED")


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


@dataclass
class Desk:
    """A project folder, and ``evaltui`` run there in processes of their own."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:  # noqa: ANN401
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "evaltui", *words],
            **{
                "cwd": self.folder,
                "env": environment(self.variables),
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "text": True,
                "encoding": "utf-8",
                **more,
            },
        )

    def __call__(self, *words: str) -> Said:
        """Run a command to its end."""
        process = self.start(*words)
        out, err = process.communicate(timeout=60)
        return Said(process.returncode, out, err)

    def here(self, *words: str) -> Said:
        """Run a command in this process, which is quicker and otherwise the same."""
        out, err = StringIO(), StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            patch.chdir(self.folder)
            patch.setattr(sys, "argv", ["evaltui", *words])
            for name in _UNSET:
                patch.delenv(name, raising=False)
            for name, text in self.variables.items():
                patch.setenv(name, text)
            code = run(words)
        return Said(code, out.getvalue(), err.getvalue())

    def at(self, day: date | str) -> Desk:
        """The same desk on another day."""
        return Desk(self.folder, {**self.variables, "EVALTUI_NOW": str(day)})

    def lines(self, name: str, items: Sequence[object]) -> None:
        """Write a JSONL file."""
        write_lines(self.folder / name, items)

    def copy(self, folder: Path, *without: str) -> Desk:
        """A copy elsewhere; without ``.evaltui`` it is what a clone has."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns(*without))
        return Desk(folder, dict(self.variables))

    def inside(self, folder: Path) -> Desk:
        """The same desk in another working folder."""
        return Desk(folder, dict(self.variables))

    def of(self, folder: Path) -> Desk:
        """The same desk with what is in another folder."""
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)
        return self

    def decisions(self) -> list[dict[str, Any]]:
        """The decisions, oldest first."""
        found = [json.loads(path.read_bytes()) for path in self.folder.glob("decisions/*.json")]
        return sorted(found, key=lambda one: str(one["created_at"]))

    def after_the_first_expiry(self) -> date:
        """The day after the earliest end of a decision that has not ended yet."""
        today = system_clock({}).today()
        ends = [date.fromisoformat(one["expires_at"]) for one in self.decisions()
                if one.get("expires_at")]  # fmt: skip
        return min(end for end in ends if end >= today) + timedelta(days=1)


class Terminal:
    """``evaltui`` in a terminal of its own."""

    def __init__(self, desk: Desk, *words: str) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        files = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
        self.process = desk.start(*words, start_new_session=True, **files)
        os.close(theirs)
        self.shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.ours, 65536)
            except OSError:
                return
            if not data:
                return
            self.shown += data

    def runner(self) -> int | None:
        """The process id of the runner, once there is one."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else None

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def leave(self, key: str = "q") -> tuple[int, str]:
        """Press a key that leaves; answers the exit code and all that was ever shown."""
        self.type(key)
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code, self.shown.decode("utf-8", "replace")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE_S)
        os.close(self.ours)


@contextmanager
def _on_terminal(desk: Desk, *words: str) -> Iterator[Terminal]:
    terminal = Terminal(desk, *words)
    try:
        yield terminal
    finally:
        terminal.close()


def _wait_until(met: Callable[[], object], within_s: float = PATIENCE_S) -> float:
    """How long it took, in seconds."""
    began, pause = time.monotonic(), threading.Event()
    while not met():
        assert time.monotonic() - began < within_s
        pause.wait(0.01)
    return time.monotonic() - began


OnTerminal = Callable[..., AbstractContextManager[Terminal]]
WaitUntil = Callable[..., float]
MakeDesk = Callable[[Mapping[str, str]], Desk]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The surroundings of a desk: a capable terminal, no CI, no set clock, nobody known."""
    kept = {name: text for name, text in os.environ.items() if name not in _UNSET}
    return kept | {"TERM": "xterm-256color"} | {**variables}


def at_once(answers: Path) -> None:
    """Let canned answers come without delay."""
    lines = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    write_lines(answers, [{**line, "delay_ms": 0} for line in lines])


def write_lines(path: Path, items: Sequence[object]) -> None:
    """Write a JSONL file."""
    path.write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _UNSET:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared demo whose answers come at once."""
    home = tmp_path_factory.mktemp("demo") / "evaltui-demo"
    folder = demo.prepare(home, system_clock({}), Ids()).parent
    at_once(folder / "answers.jsonl")
    return folder


@pytest.fixture
def on_terminal() -> OnTerminal:
    """``with on_terminal(desk, *words) as terminal`` runs a command on a terminal."""
    return _on_terminal


@pytest.fixture
def wait_until() -> WaitUntil:
    """``wait_until(met, within_s)`` waits for a condition."""
    return _wait_until


@pytest.fixture(scope="session")
def make_desk(tmp_path_factory: pytest.TempPathFactory) -> MakeDesk:
    """``make_desk({"s.ulx": ..., "evaltui.toml": ...})`` answers a project with these files."""

    def make(files: Mapping[str, str]) -> Desk:
        folder = tmp_path_factory.mktemp("project")
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        return Desk(folder)

    return make


@pytest.fixture
def evaltui_demo(prepared: Path, tmp_path: Path) -> Iterator[Desk]:
    """A demo of one's own."""
    yield Desk(shutil.copytree(prepared, tmp_path / "evaltui-demo"))
