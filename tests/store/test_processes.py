"""Several processes on one store, and processes that die."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.store import Store, open_store

_SCRIPT = Path(__file__).with_name("writing_process.py")
_HOLDER = """
import sys
from pathlib import Path
from evaltui.clock import system_clock
from evaltui.store import open_store
with open_store(Path(sys.argv[1]), system_clock({})) as store, store.exclusive():
    print("held", flush=True)
    sys.stdin.read()
"""


def _start(path: Path, run_id: str, end: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(_SCRIPT), str(path), run_id, str(end)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("flushes", [1, 3, 11])
def test_a_killed_process_leaves_every_committed_case(
    path: Path, clock: Clock, flushes: int
) -> None:
    with _start(path, "dead", 0) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(flushes + 1)]
        process.kill()
    reported = int(lines[-1])

    with open_store(path, clock) as store:
        durable = store.durable("dead")
        assert set(range(reported)) <= durable
        assert durable == {record.spec.index for record in store.records("dead")}
        assert store.run("r1").state == store.runs()[0].state == "interrupted"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_processes_that_start_together_share_one_store(path: Path, clock: Clock) -> None:
    processes = [_start(path, f"run-{n}", 400) for n in range(3)]
    outputs = [process.communicate()[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert {output.split()[0] for output in outputs} == {"r1", "r2", "r3"}
    with open_store(path, clock) as store:
        for number in range(3):
            assert store.durable(f"run-{number}") == set(range(400))


def test_an_act_excludes_those_of_other_processes_until_its_process_ends(
    path: Path, store: Store, clock: Clock
) -> None:
    command = [sys.executable, "-c", _HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with (
            open_store(path, clock, busy_s=0.02) as hasty,
            pytest.raises(StoreError, match="locked by another process"),
            hasty.exclusive(),
        ):
            pass
        process.kill()

    with store.exclusive():
        assert store.open_intents() == []
