"""What the measurements share: lines of the table, commands in pipes and terminals, projects."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

EVALTUI = (sys.executable, "-m", "evaltui")
NOT_A_USERS = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
"""Settings of test machines that no user has: both make every start or every line slower."""
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement; ``floor`` is what the same work costs at least, in the same unit."""

    what: str
    value: float
    unit: str
    budget: float | None = None
    floor: float | None = None
    floor_name: str = ""
    at_least: bool = False
    """The budget is a lower bound."""

    @property
    def within(self) -> bool | None:
        if self.budget is None:
            return None
        return self.value >= self.budget if self.at_least else self.value <= self.budget


def median_of(work: Callable[[], object], times: int = 5) -> float:
    """Median wall time of ``work`` in seconds."""
    return statistics.median(seconds(work) for _ in range(times))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def environment() -> dict[str, str]:
    """The variables of a user's shell."""
    return {name: value for name, value in os.environ.items() if name not in NOT_A_USERS}


def run(*arguments: str, cwd: Path, expect: int | None = 0) -> subprocess.CompletedProcess[bytes]:
    """``evaltui`` with these arguments; a wrong exit code ends the measurement."""
    done = subprocess.run(
        [*EVALTUI, *arguments], cwd=cwd, env=environment(), capture_output=True, check=False
    )
    if expect is not None and done.returncode != expect:
        tail = (done.stderr or done.stdout)[-400:].decode(errors="replace")
        raise RuntimeError(f"evaltui {' '.join(arguments)} exited with {done.returncode}: {tail}")
    return done


def peak_megabytes(*arguments: str, cwd: Path) -> float:
    """Peak resident memory of ``evaltui`` with these arguments."""
    child = subprocess.Popen(
        [*EVALTUI, *arguments],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_maxrss / 1024


class Terminal:
    """``evaltui`` in a pseudo-terminal of its own, killed when the context ends."""

    def __init__(self, *arguments: str, cwd: Path, columns: int = 120, lines: int = 40) -> None:
        self.began = time.perf_counter()
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execve(EVALTUI[0], [*EVALTUI, *arguments], environment() | terminal)
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, size)
        self.seen = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)

    def until(self, *texts: str, timeout: float = 60) -> float:
        """Seconds since the start when all texts have been painted since the last call."""
        wanted = [text.encode() for text in texts]
        seen = b""
        while time.perf_counter() - self.began < timeout:
            seen += os.read(self.descriptor, 1 << 16)
            plain = ESCAPES.sub(b"", seen)
            if all(text in plain for text in wanted):
                return time.perf_counter() - self.began
        raise RuntimeError(f"never painted: {texts}")

    def press(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())


TRIVIAL = """\
dataset Rows: list<{ id: text, n: number }> { from "rows.jsonl" }
conversation Echo(n: number) -> text {
  user: \"\"\"Say {n}.\"\"\"
  assistant -> said
  said
}
benchmark Trivial {
  dataset: Rows
  run: Echo($.n) -> said
  assert said.length > 0
}
"""


def forget(folder: Path) -> None:
    """Remove the stores of a project: comparing with an earlier run is other work."""
    for store in (".evaltui", ".ulexite"):
        shutil.rmtree(folder / store, ignore_errors=True)


@contextmanager
def project(cases: int, policy: str = "", suite: str = TRIVIAL) -> Iterator[Path]:
    """A folder with a suite of trivial cases, removed afterwards."""
    with TemporaryDirectory(prefix="evaltui-bench-") as name:
        folder = Path(name)
        rows = (json.dumps({"id": f"case-{n:06}", "n": n}) for n in range(cases))
        (folder / "rows.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (folder / "trivial.ulx").write_text(suite, encoding="utf-8")
        (folder / "evaltui.toml").write_text(policy, encoding="utf-8")
        yield folder
