"""Adopting, listing, rebuilding and verifying what a project holds."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaltui.clock import Ids
from evaltui.engine import snapshots
from evaltui.engine.values import score
from evaltui.errors import ActRefused, DecisionError, UsageError
from evaltui.models import Action, Cause, Outcome
from evaltui.review import decision_files, value_files
from evaltui.review.adoption import adopt, known_cases
from evaltui.review.custody import Custody, expiring, list_baselines
from evaltui.review.rebuilding import rebuild
from evaltui.review.reviewer import Reviewer, find_reviewer, reviewer_named
from evaltui.review.session import DecisionForm
from evaltui.review.verifying import verify_decisions

if TYPE_CHECKING:
    from tests.review.conftest import Desk, Room

FORM = DecisionForm(Reviewer("ana"), "taken over", expires="30d")


def adopt_all(room: Room, known: object = None) -> tuple[int, int]:
    sections = [room.section]
    done = adopt(
        room.store,
        room.folder,
        sections,
        room.policy,
        room.clock,
        Ids(),
        FORM,
        known,  # type: ignore[arg-type]
    )
    return len(done.adopted), len(done.left)


def test_adopting_signs_every_baseline_once(room: Room) -> None:
    for key in ("a", "b"):
        room.baseline(key, f"value {key}")
        room.case(key, room.snapshot(f"value {key}", key))
    before = room.files()
    assert adopt_all(room) == (2, 0)
    assert adopt_all(room) == (0, 0)
    (decision,) = room.context().folders[str(room.folder)].log.decisions.values()
    assert (decision.cause, decision.reviewer) == (Cause.INITIAL, "ana")
    assert [target.instrument for target in decision.targets] == [None, None]
    assert before.items() <= room.files().items()
    session = room.open()
    assert [row.outcome for row in session.rows] == [Outcome.PASS, Outcome.PASS]
    session.undo()
    assert before.items() <= room.files().items()
    assert [row.outcome for row in session.rows] == [Outcome.REVIEW, Outcome.REVIEW]


def test_an_adopted_baseline_is_followed_by_that_of_a_case(room: Room) -> None:
    room.baseline("k", "old")
    adopt_all(room)
    room.case("one", room.snapshot("new"))
    session = room.open()
    path = snapshots.path_of(room.folder, "Replies", "k")
    seen = [(session.rows[0].outcome, snapshots.read(path))]
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    session.commit(plan, DecisionForm(Reviewer("ana"), "better", Cause.OTHER))
    seen.append((session.rows[0].outcome, snapshots.read(path)))
    session.undo()
    seen.append((session.rows[0].outcome, snapshots.read(path)))
    assert seen == [(Outcome.FAIL, "old"), (Outcome.PASS, "new"), (Outcome.FAIL, "old")]


def test_a_stored_run_tells_adoption_which_cases_use_a_key(room: Room) -> None:
    room.baseline("k", "v")
    room.case("one", room.snapshot("v"))
    room.store_run()
    known = known_cases([room.section], room.store.records("run-1"))
    adopt_all(room, known)
    assert set(room.context().section(0).cases) == {"one"}


def test_files_that_cannot_be_signed_are_left_and_named(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_TOKEN", "very-secret")
    room.baseline("s", "it is very-secret")
    room.baseline("k", "v").rename(room.folder / "snapshots" / "Replies" / "other.json")
    (room.folder / "snapshots" / "Replies" / "broken.json").write_text("{")
    assert adopt_all(room) == (0, 3)


def test_adopting_is_refused_without_reason_or_under_ci(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.baseline("k", "v")
    args = (room.store, room.folder, [room.section], room.policy, room.clock, Ids())
    with pytest.raises(UsageError, match="needs a reason"):
        adopt(*args, DecisionForm(Reviewer("ana")))
    monkeypatch.setenv("CI", "1")
    with pytest.raises(ActRefused):
        adopt(*args, FORM)


def test_every_baseline_is_listed_with_its_standing(desk: Desk) -> None:
    desk.accept("a", key="fine")
    desk.accept("b", key="late", expires="2026-02-01")
    desk.accept("c", key="moved")
    desk.baseline("moved", "not c")
    desk.accept("d", key="gone")
    snapshots.path_of(desk.folder, "Replies", "gone").unlink()
    desk.baseline("unsigned", "e")
    desk.accept("f", key="split", case_id="left")
    first = desk.accept("f", key="torn")
    desk.accept("g", key="torn", parent=first.id)
    desk.accept("h", key="torn", parent=first.id)
    desk.accept(score(0.5), check="expect#1")
    (desk.folder / "snapshots" / "Replies" / "zz.json").write_text("{}")
    found = {entry.check: entry.custody for entry in list_baselines(desk.folder, desk.now.date())}
    assert found == {
        "snapshot:fine": Custody.ACCEPTED,
        "snapshot:late": Custody.EXPIRED,
        "snapshot:moved": Custody.MOVED,
        "snapshot:gone": Custody.MISSING,
        "snapshot:unsigned": Custody.UNSIGNED,
        "snapshot:split": Custody.ACCEPTED,
        "snapshot:torn": Custody.CONFLICT,
        "expect#1": Custody.ACCEPTED,
        "zz.json": Custody.UNREADABLE,
    }


def test_what_ends_soon_is_listed_soonest_first(desk: Desk) -> None:
    desk.accept("a", expires="2026-03-10")
    desk.waive(expires="2026-02-28")
    desk.widen("0.1", check="snapshot:k", expires="2026-12-01")
    found = expiring(desk.folder, desk.now.date(), 14)
    assert [(one.action, one.days_left) for one in found] == [
        (Action.WAIVE, -1),
        (Action.ACCEPT_BASELINE, 9),
    ]


def test_rebuilding_makes_the_files_that_decisions_name(desk: Desk) -> None:
    first = desk.accept("old", key="k")
    second = desk.accept("new", key="k", parent=first.id)
    desk.accept("kept", key="other")
    desk.baseline("unsigned", "x")
    wanted = {path: path.read_bytes() for path in (desk.folder / "snapshots").rglob("*.json")}
    path = snapshots.path_of(desk.folder, "Replies", "k")
    path.write_text("broken")
    snapshots.path_of(desk.folder, "Replies", "other").unlink()
    done = rebuild(desk.folder, desk.now.date())
    assert [one.written for one in done] == [True, True]
    assert {p: p.read_bytes() for p in wanted} == wanted
    assert not any(one.written for one in rebuild(desk.folder, desk.now.date()))
    desk.revert(second)
    rebuild(desk.folder, desk.now.date())
    assert snapshots.read(path) == "old"


def test_a_conflict_is_not_rebuilt(desk: Desk) -> None:
    first = desk.accept("old")
    desk.accept("left", parent=first.id)
    desk.accept("right", parent=first.id)
    (done,) = rebuild(desk.folder, desk.now.date())
    assert (done.written, done.problem) == (False, "decided differently in two places")


def messages(desk: Desk, **more: object) -> list[str]:
    return [one.message for one in verify_decisions(desk.folder, desk.clock, 365, **more)]  # type: ignore[arg-type]


def test_sound_decisions_verify(desk: Desk) -> None:
    first = desk.accept("a")
    desk.accept("b", parent=first.id, old_digest=first.targets[0].new_digest)
    desk.waive("two", expires="2026-03-02")
    desk.now += timedelta(days=30)
    assert messages(desk) == []


def test_what_is_wrong_with_decisions_is_found(desk: Desk) -> None:
    edited = desk.accept("a", key="edited")
    path = decision_files.path_of(desk.folder, edited)
    path.write_text(path.read_text().replace("because", "no"))
    assert any("edited" in one for one in messages(desk))
    path.unlink()
    lost = desk.accept("b", parent="f" * 64, key="lost")
    value_files.path_of(desk.folder, lost.targets[0].new_digest or "").unlink()
    desk.accept("c", key="long", expires="2031-01-01")
    (desk.folder / "decisions" / "broken.json").write_text("{")
    found = messages(desk)
    for part in ("ffffffffffff, which is gone", "the file is gone", "the policy allows 365"):
        assert any(part in one for one in found), part
    assert any("is not JSON" in one for one in found)
    assert any("has no decision behind it" in one for one in found)


def test_conflicts_are_found(desk: Desk) -> None:
    first = desk.accept("old")
    desk.accept("left", parent=first.id)
    desk.accept("right", parent=first.id)
    assert any("decided differently in" in one for one in messages(desk))


def git(folder: Path, *words: str) -> str:
    name = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
    command = ["git", *name, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_reviewers_are_compared_with_commit_authors(desk: Desk) -> None:
    git(desk.folder, "init", "-q", "-b", "main")
    mine = desk.accept("a")
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-qm", "accept")
    assert messages(desk, git=True) == []
    path = decision_files.path_of(desk.folder, mine)
    path.write_text(path.read_text() + "\n")
    git(desk.folder, "commit", "-qam", "edit", "--author", "Bob <bob@example.org>")
    assert messages(desk, git=True) == ["was changed after it was committed, by Bob"]
    desk.waive()
    assert "is not committed yet" in messages(desk, git=True)
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-qm", "waive", "--author", "Bob <bob@example.org>")
    assert "is signed ana but was committed by Bob <bob@example.org>" in messages(desk, git=True)


def test_two_branches_merged_by_git_agree_or_conflict(desk: Desk) -> None:
    git(desk.folder, "init", "-q", "-b", "main")
    first = desk.accept("old")
    desk.accept("other", case_id="two", key="two")
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-qm", "base")
    git(desk.folder, "checkout", "-qb", "side")
    desk.accept("side", parent=first.id)
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-qm", "side")
    git(desk.folder, "checkout", "-q", "main")
    desk.waive("two")
    git(desk.folder, "add", ".")
    git(desk.folder, "commit", "-qm", "main")
    git(desk.folder, "merge", "-q", "--no-edit", "side")
    assert desk.judge(desk.snapshot("side")).outcome is Outcome.PASS
    assert messages(desk) == []


def test_the_reviewer_comes_from_the_option_the_variable_or_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "Git Name")
    git(tmp_path, "config", "user.email", "git@example.org")
    variable = {"EVALTUI_REVIEWER": "Var <var@example.org>"}
    assert find_reviewer("Me", tmp_path, variable) == Reviewer("Me")
    assert find_reviewer(None, tmp_path, variable) == Reviewer("Var", "var@example.org")
    assert find_reviewer(None, tmp_path, {}) == Reviewer("Git Name", "git@example.org")


@pytest.mark.parametrize("name", ["", "  ", "x" * 300, "a\x1b[31m", "a\u202eb", "<a@b>"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        reviewer_named(name)


@pytest.mark.parametrize("name", ["Zoé 日本", "علی‌رضا", "O’Neil-Ångström", "nick 👩‍💻"])
def test_names_of_all_peoples_are_names(name: str) -> None:
    assert reviewer_named(name).name == name


def test_a_folder_of_decisions_that_is_none_is_named(desk: Desk) -> None:
    (desk.folder / "decisions").write_text("")
    with pytest.raises(DecisionError, match="decisions: the decisions cannot be listed: Not a"):
        verify_decisions(desk.folder, desk.clock)
