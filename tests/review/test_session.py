"""A session over a stored run: planning, committing, undoing, and what files come of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from evaltui.engine import snapshots
from evaltui.engine.values import score
from evaltui.errors import ActRefused, DecisionError, ExitCode, UsageError
from evaltui.models import (
    Action,
    CaseError,
    Cause,
    FailureClass,
    Gate,
    GivenAnswer,
    Mode,
    Outcome,
    Suspension,
)
from evaltui.project import Policy
from evaltui.review.judging import judge_case
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import ActResult, DecisionForm, Session
from evaltui.review.summary import summarise

if TYPE_CHECKING:
    from tests.review.conftest import Room

ANA = Reviewer("ana", "ana@example.org")
FORM = DecisionForm(ANA, "reads better", Cause.OTHER, "90d")
TIMEOUT = CaseError(FailureClass.INFRASTRUCTURE, "timeout", "slow", "try again")
WAITING = Suspension("boss", "look", '{"a":1}', "d" * 64, 0)


def do(session: Session, action: Action, *indices: int, **form: object) -> ActResult:
    plan = session.plan(action, indices)
    return session.commit(plan, replace(FORM, **form))


def outcomes(session: Session) -> list[Outcome]:
    return [row.outcome for row in session.rows]


def test_accepting_makes_the_new_value_the_baseline(room: Room) -> None:
    room.case("one", room.snapshot("hello"))
    session = room.open()
    assert session.totals().red == 1
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    assert plan.sentence == "1 of 1 can be accepted"
    assert plan.needs == ("reviewer", "cause", "reason", "expires")
    result = session.commit(plan, FORM)
    assert result.message == "one accepted"
    assert [row.outcome for row in result.changed] == [Outcome.PASS]
    assert session.totals().red == 0
    assert session.gate_report().exit_code is ExitCode.OK
    path = snapshots.path_of(room.folder, "Replies", "k")
    assert path.read_bytes() == snapshots.encode("k", "hello")
    decision = result.decision
    assert (decision.reviewer, decision.email) == ("ana", "ana@example.org")
    assert (decision.cause, decision.expires_at) == (Cause.OTHER, "2026-05-30")
    assert (decision.run_id, decision.policy_digest) == ("run-1", room.policy.digest)
    assert room.open().rows[0].outcome is Outcome.PASS


def test_a_bulk_act_says_how_many_can_and_why_others_cannot(room: Room) -> None:
    room.accept("same", case_id="same", key="same")
    room.case("new", room.snapshot("a", "new"))
    room.case("slow", error=TIMEOUT)
    room.case("broken", room.snapshot("b", "broken"), room.breaks())
    room.case("same", room.snapshot("same", "same"))
    room.case("waits", suspension=WAITING)
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, range(5))
    assert plan.indices == (0,)
    assert plan.sentence == (
        "1 of 5 can be accepted; 1 no result, 1 assert, 1 nothing new, 1 waiting"
    )
    reasons = {one.case_id: one.reason for one in plan.refused}
    assert "timeout" in reasons["slow"]
    assert "waive" in reasons["broken"]
    session.commit(plan, FORM)
    assert outcomes(session)[0] is Outcome.PASS


def test_an_accepted_score_guards_against_drift(room: Room) -> None:
    room.policy = Policy(tolerance={"Replies/expect#1": Decimal("0.05")})
    room.accept(score(0.9), check="expect#1")
    room.case("one", room.expect(0.8))
    session = room.open()
    assert session.rows[0].gates == (Gate.DRIFT,)
    do(session, Action.ACCEPT_BASELINE, 0)
    assert outcomes(session) == [Outcome.PASS]
    assert not (room.folder / "snapshots").exists()


def test_what_changed_since_it_was_shown_is_refused(room: Room) -> None:
    room.accept("old")
    room.case("one", room.snapshot("new"))
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    room.baseline("k", "somebody else's")
    before = room.files()
    with pytest.raises(ActRefused, match="not as it was shown"):
        session.commit(plan, FORM)
    assert room.files() == before


def test_a_decision_made_meanwhile_is_never_written_over(room: Room) -> None:
    first = room.accept("old")
    room.case("one", room.snapshot("new"))
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    room.accept("theirs", parent=first.id)
    with pytest.raises(ActRefused, match="not as it was shown"):
        session.commit(plan, FORM)


def test_undo_and_redo_go_through_files_and_survive_a_restart(room: Room) -> None:
    room.accept("old")
    room.case("one", room.snapshot("new"))
    session = room.open()
    path = snapshots.path_of(room.folder, "Replies", "k")
    old = path.read_bytes()
    do(session, Action.ACCEPT_BASELINE, 0)
    decisions = len(list((room.folder / "decisions").glob("*.json")))
    again = room.open()
    undone = again.undo()
    assert undone is not None and undone.message == "accepted undone"
    assert path.read_bytes() == old
    assert outcomes(again) == [Outcome.FAIL]
    assert len(list((room.folder / "decisions").glob("*.json"))) == decisions + 1
    third = room.open()
    assert third.redo() is not None
    assert outcomes(third) == [Outcome.PASS]
    assert third.redo() is None
    assert third.undo() is not None
    assert path.read_bytes() == old
    assert third.undo() is None


def test_undoing_a_first_acceptance_takes_the_new_baseline_away(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    do(session, Action.ACCEPT_BASELINE, 0)
    session.undo()
    assert not snapshots.path_of(room.folder, "Replies", "k").exists()
    assert session.rows[0].gates == (Gate.NEW,)


def test_undoing_puts_an_unsigned_baseline_back(room: Room) -> None:
    path = room.baseline("k", "unsigned")
    before = path.read_bytes()
    room.case("one", room.snapshot("new"))
    session = room.open()
    do(session, Action.ACCEPT_BASELINE, 0)
    assert path.read_bytes() != before
    session.undo()
    assert path.read_bytes() == before
    session.redo()
    session.undo()
    assert path.read_bytes() == before


def test_a_decision_somebody_built_upon_cannot_be_undone(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    do(session, Action.ACCEPT_BASELINE, 0)
    (first,) = session.context.folders[str(room.folder)].log.decisions
    room.accept("later", parent=first)
    with pytest.raises(ActRefused, match="decided about since"):
        session.undo()


def test_a_new_act_ends_redo(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    do(session, Action.ACCEPT_BASELINE, 0)
    session.undo()
    do(session, Action.ANNOTATE, 0, note="hm")
    assert session.redo() is None


def test_widening_proposes_what_is_needed_and_says_what_turns_green(room: Room) -> None:
    for case_id, number in (("a", 0.8), ("b", 0.75), ("c", 0.95)):
        room.accept(0.7, case_id=case_id, key=case_id)
        room.case(case_id, room.snapshot(number, case_id), slices=("lang=fr",))
    session = room.open()
    plan = session.plan(Action.WIDEN_TOLERANCE, [0], scope="slice")
    assert (plan.tolerance, plan.turns_green) == ("0.1", 2)
    assert plan.warnings == ("2 cases of this very run would pass under 0.1",)
    session.commit(plan, FORM)
    assert outcomes(session) == [Outcome.PASS, Outcome.PASS, Outcome.FAIL]
    assert session.rows[0].badges == ("tolerated",)
    session.undo()
    assert outcomes(session) == [Outcome.FAIL] * 3


def test_a_form_may_name_another_tolerance_than_the_plan(room: Room) -> None:
    room.accept(0.7)
    room.case("one", room.snapshot(0.8))
    session = room.open()
    for wrong in ("much", "0", "-1", "nan"):
        with pytest.raises(UsageError, match="tolerance"):
            do(session, Action.WIDEN_TOLERANCE, 0, tolerance=wrong)
    do(session, Action.WIDEN_TOLERANCE, 0, tolerance="0.2")
    assert session.detail(0).pairs[0].tolerance == "0.2"


def test_waiving_covers_fails_errors_and_removed_cases_only(room: Room) -> None:
    room.accept("x", case_id="gone", key="gone")
    room.case("broken", room.breaks())
    room.case("slow", error=TIMEOUT)
    room.case("fine", room.holds())
    room.case("new", room.snapshot("n", "new"))
    session = room.open()
    assert session.rows[4].removed
    plan = session.plan(Action.WAIVE, range(5))
    assert plan.indices == (0, 1, 4)
    session.commit(plan, FORM)
    assert [row.waived for row in session.rows] == [True, True, False, False, True]
    assert session.totals().red == 1
    assert session.plan(Action.WAIVE, [0]).refused[0].kind == "waived"


def test_an_answer_lets_the_case_run_on(room: Room) -> None:
    room.case("one", suspension=WAITING)
    session = room.open()
    result = do(session, Action.APPROVE_ESCALATION, 0, value="go", scope="once", reason="")
    assert result.rerun == (0,)
    answer = session.context.answer(0, "one", "boss", "d" * 64, 0, "run-1")
    assert answer is not None and answer.expires_at is None
    assert answer.targets[0].value == '{"kind":"Text","value":"go"}'
    assert not session.rows[0].red
    assert session.plan(Action.DENY_ESCALATION, [0]).refused[0].kind == "answered"
    session.undo()
    assert session.rows[0].red


def test_undoing_an_answer_lets_the_case_wait_again(room: Room) -> None:
    room.case("one", suspension=WAITING)
    do(room.open(), Action.APPROVE_ESCALATION, 0, value="go")
    given = GivenAnswer(WAITING, 'approve {"kind":"Text","value":"go"}')
    record = room.store.record("run-1", 0)
    ran_on = replace(record.result, suspension=None, answers=(given,))
    with room.store.writer("run-1") as writer:
        passed = judge_case(record.spec, ran_on, room.context("run-1"))
        writer.put(record.spec, ran_on, passed, summarise(record.spec, ran_on, passed))
    session = room.open()
    assert outcomes(session) == [Outcome.PASS]
    session.undo()
    assert outcomes(session) == [Outcome.SUSPENDED]
    assert session.detail(0).suspension == WAITING
    assert session.gate_report().exit_code == 1
    session.redo()
    assert outcomes(session) == [Outcome.PASS]
    session.undo()
    assert do(session, Action.APPROVE_ESCALATION, 0, value="go").rerun == ()
    assert outcomes(session) == [Outcome.PASS]
    session.undo()
    assert do(session, Action.APPROVE_ESCALATION, 0, value="stay").rerun == (0,)
    assert "answered by" in session.rows[0].message


def test_a_judge_is_answered_by_a_verdict(room: Room) -> None:
    room.case("one", suspension=replace(WAITING, name="judge:Tone"))
    session = room.open()
    do(session, Action.DENY_ESCALATION, 0, note="too rude")
    answer = session.context.answer(0, "one", "judge:Tone", "d" * 64, 0)
    assert answer is not None and answer.expires_at == "2026-05-30"
    assert (answer.how, answer.targets[0].note) == ("deny_value", "too rude")
    assert '"Fail":"too rude"' in (answer.targets[0].value or "")


def test_renewing_extends_what_has_expired(room: Room) -> None:
    room.accept("hello", expires="2026-03-02")
    room.case("one", room.snapshot("hello"))
    room.now += timedelta(days=5)
    session = room.open()
    assert session.rows[0].gates == (Gate.EXPIRED,)
    do(session, Action.RENEW, 0)
    assert outcomes(session) == [Outcome.PASS]
    assert "renewed" not in session.rows[0].decision
    session.undo()
    assert session.rows[0].gates == (Gate.EXPIRED,)


def test_a_conflict_is_closed_by_accepting_or_by_picking_an_end(room: Room) -> None:
    first = room.accept("old")
    room.accept("left", parent=first.id)
    right = room.accept("right", parent=first.id)
    room.case("one", room.snapshot("new"))
    session = room.open()
    assert session.rows[0].gates == (Gate.CONFLICT,)
    plan = session.plan(Action.ACCEPT_BASELINE, [0], decision=right.id)
    session.commit(plan, FORM)
    assert outcomes(session) == [Outcome.FAIL]
    assert session.detail(0).pairs[0].old == '{"kind":"Text","value":"right"}'
    session.undo()
    assert session.rows[0].gates == (Gate.CONFLICT,)
    do(session, Action.ACCEPT_BASELINE, 0)
    assert outcomes(session) == [Outcome.PASS]


def test_history_follows_a_case_to_its_new_id(room: Room) -> None:
    room.accept("hello", case_id="old")
    room.case("new", room.snapshot("hello"))
    session = room.open()
    assert [row.outcome for row in session.rows] == [Outcome.REVIEW, Outcome.REVIEW]
    plan = session.plan(Action.RELINK, [1], new_case_id="new")
    session.commit(plan, FORM)
    assert outcomes(session) == [Outcome.PASS, Outcome.SKIPPED]
    session.undo()
    assert session.rows[1].removed


def test_closing_acts_name_the_case_but_leave_it_red(room: Room) -> None:
    room.case("slow", error=TIMEOUT)
    session = room.open()
    result = do(session, Action.RETRY_INFRASTRUCTURE, 0)
    assert result.rerun == (0,)
    assert (session.rows[0].decision, session.rows[0].red) == ("retry ana", True)
    assert session.totals().undecided == 0


def test_reverting_takes_the_latest_decision_back(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    do(session, Action.ACCEPT_BASELINE, 0)
    do(session, Action.BLOCK_RELEASE, 0)
    gates = [session.rows[0].gates]
    for _ in range(2):
        do(session, Action.REVERT, 0)
        gates.append(session.rows[0].gates)
    assert gates == [(Gate.BLOCKED,), (), (Gate.NEW,)]


def test_canned_answers_never_replace_a_live_baseline(room: Room) -> None:
    room.accept("old", instrument='[{"vendor":"openai"}]')
    mock = '[{"vendor":"mock"}]'
    room.case("one", room.snapshot("new"), mode=Mode.MOCK, instrument=mock)
    room.case("two", room.snapshot("new", "l"), mode=Mode.MOCK, instrument=mock)
    plan = room.open().plan(Action.ACCEPT_BASELINE, [0, 1])
    assert (plan.indices, plan.refused[0].kind) == ((1,), "canned")


def test_a_value_that_holds_a_secret_is_not_committed(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_API_KEY", "sk-very-secret")
    room.case("one", room.snapshot("the key is sk-very-secret"))
    plan = room.open().plan(Action.ACCEPT_BASELINE, [0])
    assert plan.refused[0].kind == "secret"
    assert "sk-very" not in plan.sentence
    assert "DESK_API_KEY" in plan.sentence


def test_a_revised_row_can_be_signed_anew(room: Room) -> None:
    first = room.accept("hello", row_digest="another row")
    room.case("one", room.snapshot("hello"))
    session = room.open()
    assert session.rows[0].badges == ("revised",)
    result = do(session, Action.ACCEPT_BASELINE, 0)
    assert result.decision.targets[0].parent == first.id
    assert room.open().rows[0].badges == ()


def test_two_cases_never_fight_over_one_snapshot_file(room: Room) -> None:
    room.accept("mine", case_id="mine")
    room.case("mine", room.snapshot("mine"))
    room.case("other", room.snapshot("theirs"))
    room.case("a", room.snapshot("x", "shared"))
    room.case("b", room.snapshot("y", "shared"))
    plan = room.open().plan(Action.ACCEPT_BASELINE, range(4))
    assert plan.indices == (2,)
    assert plan.sentence == "1 of 4 can be accepted; 2 shared key, 1 nothing new"


def test_nothing_is_written_while_ci_is_set(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    monkeypatch.setenv("CI", "true")
    with pytest.raises(ActRefused, match="CI is set"):
        session.commit(plan, FORM)
    assert room.files() == {}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"reason": " "}, "needs a reason"),
        ({"cause": None}, "needs a cause"),
        ({"expires": "2026-02-30"}, "no day"),
        ({"expires": "400d"}, "beyond the policy's maximum"),
    ],
)
def test_a_form_that_lacks_something_writes_nothing(
    room: Room, form: dict[str, object], message: str
) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    with pytest.raises(UsageError, match=message):
        do(session, Action.ACCEPT_BASELINE, 0, **form)
    assert room.files() == {}


def test_an_unwritable_folder_is_one_clear_line_and_changes_nothing(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    session = room.open()
    (room.folder / "snapshots").write_text("in the way")
    with pytest.raises(DecisionError):
        do(session, Action.ACCEPT_BASELINE, 0)
    assert not list((room.folder / "decisions").glob("*.json"))
    assert room.store.open_intents() == []


def test_a_warning_names_a_newer_run(room: Room) -> None:
    room.case("one", room.snapshot("new"))
    room.store_run()
    session = room.open()
    room.run_id = "run-2"
    room.now += timedelta(minutes=1)
    room.store_run()
    plan = session.plan(Action.ACCEPT_BASELINE, [0])
    assert plan.warnings == ("run r2 of this suite is newer than the one shown",)


def test_detail_shows_old_new_inputs_and_history(room: Room) -> None:
    room.accept("old")
    room.case("one", room.snapshot("new"))
    detail = room.open().detail(0)
    (pair,) = detail.pairs
    assert (pair.old, pair.new) == (
        '{"kind":"Text","value":"old"}',
        '{"kind":"Text","value":"new"}',
    )
    assert detail.inputs == (("q", "hi"),)
    assert detail.history == (
        "2026-03-01 12:00  accepted by ana until 2026-06-01 (initial): because",
    )


def test_a_case_is_found_by_id_or_by_its_full_name(room: Room) -> None:
    room.case("one", room.holds())
    session = room.open()
    assert session.find_case("one") == session.find_case("a.ulx:Replies:one") == 0
    with pytest.raises(UsageError, match="did you mean 'one'"):
        session.find_case("onne")


def test_a_stored_run_opens_with_decisions_that_came_later(room: Room) -> None:
    room.case("one", room.snapshot("hello"))
    room.open()
    room.accept("hello")
    assert outcomes(room.open()) == [Outcome.PASS]
    room.now += timedelta(days=200)
    assert room.open().rows[0].gates == (Gate.EXPIRED,)


def test_undoing_everything_and_redoing_everything_lead_back(room: Room) -> None:
    room.accept("old", case_id="a", key="a")
    room.baseline("c", "unsigned")
    for case_id in "abc":
        room.case(case_id, room.snapshot(f"new {case_id}", case_id))
    room.case("d", room.breaks())

    def baselines() -> dict[str, bytes]:
        return {name: data for name, data in room.files().items() if name.startswith("snap")}

    session = room.open()
    before = baselines(), outcomes(session)
    do(session, Action.ACCEPT_BASELINE, 0, 1)
    do(session, Action.WAIVE, 3)
    do(session, Action.ACCEPT_BASELINE, 2)
    do(session, Action.RENEW, 0, 3)
    do(session, Action.BLOCK_RELEASE, 1)
    after = baselines(), outcomes(session)
    for _ in range(2):
        steps = 0
        while (session := room.open()).undo() is not None:
            steps += 1
        assert (steps, (baselines(), outcomes(session))) == (5, before)
        while session.redo() is not None:
            steps -= 1
        assert (steps, (baselines(), outcomes(session))) == (0, after)
