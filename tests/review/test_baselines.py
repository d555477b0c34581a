"""Baseline files as they come from disk: broken, in the wrong place, named at the limits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.errors import DecisionError
from evaltui.models import Action, Cause, Outcome
from evaltui.review.baselines import Baselines, read_baseline
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import DecisionForm

if TYPE_CHECKING:
    from tests.review.conftest import Room

FORM = DecisionForm(Reviewer("ana"), "better", Cause.OTHER)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        b"\xff\xfe",
        b'{"key": "a"}',
        b'{"key": "a", "value": "\x1b[31m"}',
        b"<<<<<<< HEAD\n{}\n",
        b'{"key": "a", "value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"value": "' + b'\\"' * 10,
    ],
)
def test_a_file_that_is_no_baseline_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(DecisionError, match=r"a\.json: the baseline cannot be read: ") as caught:
        read_baseline(path)
    assert "evaltui baselines rebuild" in str(caught.value)


def test_a_folder_in_the_place_of_a_baseline_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(DecisionError, match="the baseline cannot be read: Is a directory"):
        read_baseline(tmp_path / "a.json")


@pytest.mark.parametrize("place", ["snapshots", "snapshots/Replies"])
def test_a_file_in_the_place_of_the_folder_is_named_before_the_run(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("")
    with pytest.raises(DecisionError, match=r"snapshots/Replies: the baselines cannot be listed"):
        Baselines(tmp_path).preload("Replies")


def test_a_benchmark_named_beyond_the_limits_of_files_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    with pytest.raises(DecisionError, match="the baselines cannot be listed: File name too long"):
        Baselines(tmp_path).preload("B" * 300)


@pytest.mark.parametrize("key", ["../../x", "", "𠀀" * 80, "x" * 10_000, "a/b\\c\0d\ne", "."])
def test_whatever_a_key_is_called_its_value_can_be_accepted(room: Room, key: str) -> None:
    room.case("a", room.snapshot("new", key))
    session = room.open()
    session.commit(session.plan(Action.ACCEPT_BASELINE, [0]), FORM)
    assert room.open().rows[0].outcome is Outcome.PASS
    assert all(name.startswith(("decisions/", "snapshots/Replies/")) for name in room.files())


def test_a_baseline_that_cannot_be_read_stops_the_act_and_changes_nothing(room: Room) -> None:
    room.case("a", room.snapshot("new", "a"))
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    (room.folder / "snapshots").write_text("")
    with pytest.raises(DecisionError, match="Not a directory"):
        session.commit(plan, FORM)
    assert room.files() == {}
