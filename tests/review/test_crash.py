"""An act killed after any of its steps is there whole, or not at all, at the next start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.clock import Ids
from evaltui.errors import DecisionError, StoreError
from evaltui.models import Action, Cause, Outcome
from evaltui.review.act_files import ActFiles
from evaltui.review.committing import MarkChange, commit_files, repair
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import DecisionForm
from evaltui.review.verifying import verify_decisions

if TYPE_CHECKING:
    from tests.review.conftest import Room

PROGRAM = Path(__file__).with_name("killed_act.py")
FORM = DecisionForm(Reviewer("ana"), "better", Cause.OTHER)
STEPS = ["intent", *["value"] * 3, *["baseline"] * 3, "decision", "mark", "end"]
ALL = [Outcome.PASS] * 3
NONE = [Outcome.FAIL, Outcome.REVIEW, Outcome.REVIEW]


def prepare(room: Room) -> None:
    """One case with a signed baseline, two without."""
    room.accept("old", case_id="a", key="a")
    for case_id in "abc":
        room.case(case_id, room.snapshot(f"new {case_id}", case_id))
    room.case("d", room.holds())
    room.store_run()


def outcomes(room: Room) -> list[Outcome]:
    return [row.outcome for row in room.open().rows[:3]]


def test_the_order_of_an_act(room: Room) -> None:
    prepare(room)
    seen: list[str] = []
    session = room.open(step=seen.append)
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    session.commit(plan, FORM)
    assert seen == STEPS


@pytest.mark.parametrize("deadly", range(1, len(STEPS) + 1))
def test_killed_after_each_step_all_of_it_or_none_remains(room: Room, deadly: int) -> None:
    prepare(room)
    before = room.files()
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(room.folder), str(deadly)],
        env=environment,
        cwd=Path(__file__).parents[2],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    committed = deadly > STEPS.index("decision")
    assert outcomes(room) == (ALL if committed else NONE)
    assert verify_decisions(room.folder, room.clock) == []
    assert room.store.open_intents() == []
    if committed:
        session = room.open()
        assert session.undo() is not None
        assert session.undo() is None
        assert outcomes(room) == NONE
    kept = {name for name in room.files() if "values" not in name}
    assert kept >= {name for name in before if "values" not in name}
    assert not [name for name in room.files() if name.endswith(".evaltui-part")]


def test_an_act_that_is_interrupted_takes_itself_back(room: Room) -> None:
    prepare(room)
    before = room.files()

    def step(name: str) -> None:
        if name == "baseline":
            raise KeyboardInterrupt

    session = room.open(step=step)
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    with pytest.raises(KeyboardInterrupt):
        session.commit(plan, FORM)
    assert before.items() <= room.files().items()
    assert room.store.open_intents() == []
    assert outcomes(room) == NONE


def test_a_full_disk_in_the_middle_changes_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(room)
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    before = {name: data for name, data in room.files().items() if "values" not in name}
    (room.folder / "decisions").joinpath("values").mkdir(exist_ok=True)
    replaced = Path.replace
    full = iter([False, False, True])

    def replace(self: Path, target: Path) -> Path:
        if "snapshots" in str(target) and next(full, False):
            raise OSError(28, "No space left on device", str(target))
        return replaced(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(DecisionError, match="No space left"):
        session.commit(plan, FORM)
    monkeypatch.undo()
    assert {name: data for name, data in room.files().items() if "values" not in name} == before
    assert room.store.open_intents() == []


def test_a_store_lost_between_two_keys_is_one_clear_line(room: Room) -> None:
    prepare(room)
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, [1])
    shutil.rmtree(room.folder / ".evaltui")
    before = room.files()
    with pytest.raises(StoreError):
        session.commit(plan, FORM)
    assert room.files() == before


def test_an_act_whose_files_cannot_exist_leaves_nothing_open(room: Room) -> None:
    prepare(room)
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    shutil.rmtree(room.folder / "snapshots")
    (room.folder / "snapshots").write_text("in the way")
    with pytest.raises(DecisionError):
        session.commit(plan, FORM)
    assert room.store.open_intents() == []
    assert repair(room.store) == []


def test_a_baseline_that_no_file_system_takes_leaves_nothing_open(room: Room) -> None:
    files = ActFiles(baselines={room.folder / ("x" * 300) / "a.json": b"new"})
    with pytest.raises(DecisionError, match=r"could not be written: File name too long"):
        commit_files(room.store, Ids(), files, MarkChange("p", "{}"))
    assert room.store.open_intents() == []


def test_a_disk_that_fills_up_after_the_decision_says_so_and_the_rest_follows(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(room)
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    synced = os.fsync

    def fsync(descriptor: int) -> None:
        if list((room.folder / "decisions").glob("*.json"))[1:]:
            raise OSError(28, "No space left on device")
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(DecisionError, match=r"is decided, but .* the next command finishes it"):
        session.commit(plan, FORM)
    monkeypatch.undo()
    assert len(repair(room.store)) == 1
    assert outcomes(room) == ALL
    assert verify_decisions(room.folder, room.clock) == []
