"""Going on with a run that was cut short."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.errors import UsageError
from evaltui.models import CaseStarted, Event, Outcome
from evaltui.store.store import open_store

if TYPE_CHECKING:
    from evaltui.engine.runner import Runner
    from tests.conftest import Ran, UlxProject

PASS = {"judge": "Kind", "verdict": "PASS"}
CHAT = {"capability": "chat", "text": "hi"}


def interrupted(project: UlxProject, after: int) -> Ran:
    """A run that is stopped after some cases."""

    def watch(runner: Runner, event: Event) -> None:
        if isinstance(event, CaseStarted) and event.index == after - 1:
            runner.stop("interrupted")

    return project.finish(project.plan(concurrency=1), watch)


def many_rows(project: UlxProject, count: int = 6) -> None:
    project.rows(*({"id": f"c{n}", "text": f"text {n}"} for n in range(count)))
    project.answers(
        *({"case": f"c{n}", "capability": "chat", "text": f"r{n}", "delay_ms": 1} for n in
          range(count)),
        PASS,
    )  # fmt: skip


def test_only_what_has_no_durable_result_runs(project: UlxProject) -> None:
    many_rows(project)
    first = interrupted(project, 2)
    assert list(first.outcomes.values()) == ["pass"] * 2 + ["skipped"] * 4
    again = project.run(resume="")
    assert again.plan.run.id == first.plan.run.id
    assert again.plan.todo == (2, 3, 4, 5)
    assert list(again.outcomes.values()) == ["pass"] * 6
    assert again.plan.run.state == "finished"


def test_trouble_of_the_infrastructure_runs_again(project: UlxProject) -> None:
    project.answers({"case": "a", "status": 500}, CHAT, PASS)
    assert project.run().outcomes["a"] is Outcome.ERROR
    project.answers(CHAT, PASS)
    again = project.run(resume="r1")
    assert again.plan.todo == (0,)
    assert again.outcomes == {"a": Outcome.PASS, "b": Outcome.PASS}


def test_verdicts_are_not_asked_for_again(project: UlxProject) -> None:
    project.answers(CHAT, {"judge": "Kind", "verdict": "FAIL: no"})
    project.run()
    again = project.run(resume="r1")
    assert again.plan.todo == ()
    assert again.calls == []
    assert set(again.outcomes.values()) == {Outcome.FAIL}


def test_a_filtered_run_goes_on_with_its_own_cases(project: UlxProject) -> None:
    many_rows(project)
    project.run(filter="id:c1,c3", max_calls=2, concurrency=1)
    again = project.run(resume="", paths=())
    assert list(again.outcomes) == ["c1", "c3"]
    assert again.plan.run.filtered


def test_the_mode_of_the_run_is_kept(project: UlxProject) -> None:
    project.run(mock=True)
    assert project.run(resume="").plan.run.mode == "mock"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("s.ulx", "be kind", "be very kind", "s.ulx: Replies changed"),
        ("rows.jsonl", '"one"', '"uno"', "the dataset of Replies changed"),
        ("evaltui.toml", "writer-1", "writer-2", r"the policy \(evaltui.toml\) changed"),
    ],
)
def test_another_measurement_does_not_go_on(
    project: UlxProject, name: str, old: str, new: str, message: str
) -> None:
    project.run()
    path = project.folder / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UsageError, match=message):
        project.plan(resume="")


def test_another_instrument_does_not_go_on(project: UlxProject) -> None:
    project.run()
    with pytest.raises(UsageError, match="the instrument asked for changed"):
        project.plan(resume="", mock=True)


def test_without_a_run_to_go_on_with_a_new_one_begins(project: UlxProject) -> None:
    assert project.run(resume="").outcomes == {"a": Outcome.PASS, "b": Outcome.PASS}


def test_a_run_that_is_not_there_is_named(project: UlxProject) -> None:
    project.run()
    from evaltui.errors import StoreError

    with pytest.raises(StoreError, match="no run 'r9'"):
        project.plan(resume="r9")


def _command(project: UlxProject, *options: str) -> list[str]:
    return [sys.executable, "-P", "-m", "evaltui", "run", str(project.suite), "--ci", *options]


def _totals(project: UlxProject) -> tuple[dict[Outcome, int], list[tuple[str, str]]]:
    with open_store(project.folder / ".evaltui" / "trace.db", project.clock, create=False) as store:
        run = store.run(None)
        rows = [(row.case_id, str(row.outcome)) for row in store.summaries(run.id)]
        return store.counts(run.id), rows


def _finished(text: str) -> list[str]:
    """The lines of a text report that do not name the run or its calls."""
    return [line for line in text.splitlines() if not line.startswith(("run ", "calls "))]


def test_killed_at_any_moment_and_resumed_it_comes_to_the_same(
    project: UlxProject, tmp_path: Path
) -> None:
    many_rows(project, 30)
    environment = {**os.environ, "EVALTUI_NOW": "2026-03-01"}
    environment.pop("CI", None)
    options = ("--concurrency", "4", "--report", f"text:{tmp_path / 'plain.txt'}")
    subprocess.run(
        _command(project, "--store", str(tmp_path / "other.db"), *options),
        env=environment, check=True, capture_output=True,
    )  # fmt: skip
    process = subprocess.Popen(
        _command(project, "--concurrency", "4"), env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    for _ in range(random.Random(7).randrange(3, 12)):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    again = subprocess.run(
        _command(project, "--resume", "--report", f"text:{tmp_path / 'resumed.txt'}"),
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "30 pass" in again.stdout
    counts, rows = _totals(project)
    assert counts == {Outcome.PASS: 30}
    assert rows == [(f"c{n}", "pass") for n in range(30)]
    first, second = (tmp_path / "plain.txt").read_text(), (tmp_path / "resumed.txt").read_text()
    assert _finished(first) == _finished(second)
