"""The runner process of a screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from evaltui.engine.child_run import ChildRun
from evaltui.engine.pipe import Batch, Failed, Finished, Job, Message, Started, line
from evaltui.models import CaseSummary
from evaltui.store.store import open_store

if TYPE_CHECKING:
    from tests.conftest import UlxProject

PASS = {"judge": "Kind", "verdict": "PASS"}
CHAT = {"capability": "chat", "text": "hi"}
PATIENCE_S = 20.0


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("EVALTUI_NOW", "2026-03-01")


@contextmanager
def started(project: UlxProject, **options: object) -> Iterator[Watched]:
    watched = Watched(ChildRun.start(project.request(**options)))
    try:
        yield watched
    finally:
        watched.child.close()


class Watched:
    """A child and all it has said so far."""

    def __init__(self, child: ChildRun) -> None:
        self.child = child
        self.messages: list[Message] = []
        self._pause = threading.Event()

    def until(self, met: Callable[[], object]) -> None:
        """Read messages until a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not met():
            assert time.monotonic() < deadline, (self.messages[-3:], self.child.last_words)
            self._pause.wait(0.005)
            self.messages += self.child.drain()

    def of(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.messages if isinstance(message, kind)]

    def finished(self, count: int = 1) -> Callable[[], bool]:
        return lambda: len(self.of(Finished)) >= count or bool(self.of(Failed))

    @property
    def rows(self) -> dict[str, CaseSummary]:
        return {
            row.case_id: row
            for message in self.messages
            if isinstance(message, Batch)
            for row in message.rows
        }


def test_a_job_is_run_and_told_of_in_batches(project: UlxProject) -> None:
    with started(project) as run:
        run.until(run.finished())
        first, *batches, last = run.messages
    assert isinstance(first, Started) and first.total == 2
    assert isinstance(last, Finished) and last.run.state == "finished"
    assert all(isinstance(batch, Batch) for batch in batches)
    final = batches[-1]
    assert isinstance(final, Batch)
    assert (final.done, final.calls, final.cache_hits, final.in_flight) == (2, 4, 1, 0)
    assert {row.outcome for row in run.rows.values()} == {"pass"}


def test_a_row_that_was_sent_can_be_read(project: UlxProject) -> None:
    project.answers({"case": "a", **CHAT}, {"case": "b", **CHAT, "delay_ms": 60_000}, PASS)
    with started(project) as run:
        run.until(lambda: "a" in run.rows)
        path = project.folder / ".evaltui" / "trace.db"
        with open_store(path, project.clock, create=False) as store:
            record = store.record(store.run(None).id, run.rows["a"].index)
    assert record.result.calls[0].output == '{"kind":"Text","value":"hi"}'


def test_what_cannot_start_is_said_in_one_line(project: UlxProject) -> None:
    with started(project, paths=("none.ulx",)) as run:
        run.until(lambda: run.of(Failed))
        (failed,) = run.of(Failed)
    assert isinstance(failed, Failed)
    assert failed.exit_code == 2
    assert failed.message.endswith("none.ulx: no such file or folder")


def test_a_stop_ends_the_run_and_keeps_the_process(project: UlxProject) -> None:
    project.rows(*({"id": f"c{n}", "text": f"t{n}"} for n in range(50)))
    project.answers({**CHAT, "delay_ms": 20}, PASS)
    with started(project, concurrency=1) as run:
        run.until(lambda: run.rows)
        run.child.stop()
        run.until(run.finished())
        (finished,) = run.of(Finished)
        assert run.child.poll() is None
    assert isinstance(finished, Finished)
    assert (finished.run.state, finished.incomplete) == ("interrupted", "interrupted")
    assert len(run.rows) < 50


def test_cases_run_again_in_a_run_of_their_own(project: UlxProject) -> None:
    with started(project) as run:
        run.until(run.finished())
        run.child.rerun([1])
        run.until(run.finished(2))
        first, second = run.of(Started)
    assert isinstance(first, Started) and isinstance(second, Started)
    assert second.run.parent == first.run.label
    assert (second.total, second.origins) == (1, (1,))
    with open_store(project.folder / ".evaltui" / "trace.db", project.clock, create=False) as store:
        assert [row.label for row in store.runs()] == ["r2", "r1"]


def test_closing_the_input_ends_the_process_within_two_seconds(project: UlxProject) -> None:
    project.answers({**CHAT, "delay_ms": 60_000}, PASS)
    with started(project) as run:
        run.until(lambda: any(isinstance(m, Batch) and m.in_flight for m in run.messages))
        began = time.monotonic()
        code = run.child.close()
        assert time.monotonic() - began < 2.0
    assert code == 0


def test_a_program_without_end_holds_neither_the_run_nor_the_process(project: UlxProject) -> None:
    project.write(
        "s.ulx", project.suite.read_text().replace("  user:", "  while 1 { x = 1 }\n  user:")
    )
    with started(project) as run:
        run.until(lambda: any(isinstance(m, Batch) and m.in_flight == 2 for m in run.messages))
        began = time.monotonic()
        run.child.close()
        assert time.monotonic() - began < 2.0


def test_the_death_of_the_process_is_seen(project: UlxProject) -> None:
    project.answers({**CHAT, "delay_ms": 60_000}, PASS)
    with started(project) as run:
        run.until(lambda: run.of(Started))
        os.kill(run.child.pid, signal.SIGKILL)
        run.until(lambda: run.child.poll() is not None)
        assert run.child.poll() == -signal.SIGKILL


def test_the_runner_ends_with_a_parent_that_was_killed(project: UlxProject) -> None:
    project.answers({**CHAT, "delay_ms": 60_000}, PASS)
    script = (
        "import sys, time, msgspec\n"
        "from evaltui.engine.child_run import ChildRun\n"
        "from evaltui.engine.requests import RunRequest\n"
        "child = ChildRun.start(msgspec.json.decode(sys.argv[1], type=RunRequest))\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    import msgspec

    request = msgspec.json.encode(project.request()).decode()
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", script, request], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 2.5
    pause = threading.Event()
    while _lives(pid):
        assert time.monotonic() < deadline
        pause.wait(0.02)


def test_a_runner_that_breaks_says_why_in_its_last_words() -> None:
    runner = subprocess.run(
        [sys.executable, "-P", "-m", "evaltui.engine.child"],
        input=b"no job\n",
        capture_output=True,
        check=False,
    )
    assert runner.returncode == 4
    assert runner.stderr.splitlines()[-1].startswith(b"msgspec.DecodeError: ")


def _lives(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_line_survives_lone_surrogates(project: UlxProject) -> None:
    assert b"?" in line(Job(project.request(filter="\ud800")))
