"""The demo shows every kind of result, and can be triaged to nothing red in a few acts."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from evaltui import demo
from evaltui.clock import Clock, Ids
from evaltui.engine.preparing import prepare as plan_run
from evaltui.engine.requests import RunRequest
from evaltui.engine.run_plan import RunPlan
from evaltui.engine.runner import Runner
from evaltui.errors import UsageError
from evaltui.models import Action, CaseSummary, Cause, Gate, Outcome
from evaltui.project import load_policy, store_path
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import DecisionForm, Session
from evaltui.store import open_store

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
CLOCK = Clock(lambda: NOW)
IDS = Ids()
DEMO = Reviewer("demo")


@pytest.fixture(autouse=True, scope="module")
def at_a_desk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CI", raising=False)
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared demo whose answers come at once."""
    folder = demo.prepare(tmp_path_factory.mktemp("demo") / "evaltui-demo", CLOCK, IDS).parent
    answers = folder / "answers.jsonl"
    lines = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    quick = [{**line, "delay_ms": 0} for line in lines]
    answers.write_text("".join(json.dumps(line) + "\n" for line in quick), "utf-8")
    return folder


@pytest.fixture
def copy(prepared: Path, tmp_path: Path) -> Path:
    """A demo of one's own."""
    return shutil.copytree(prepared, tmp_path / "evaltui-demo")


def run(folder: Path, clock: Clock = CLOCK) -> RunPlan:
    plan = plan_run(RunRequest((demo.SUITE,), str(folder)), clock, IDS)

    async def to_the_end() -> None:
        async for _ in Runner(plan).events():
            pass

    asyncio.run(to_the_end())
    plan.store.close()
    return plan


def by_id(session: Session) -> dict[str, CaseSummary]:
    return {row.case_id: row for row in session.rows}


def review(folder: Path, run_id: str, clock: Clock = CLOCK) -> Session:
    store = open_store(store_path(folder), clock)
    return Session.open(store, run_id, load_policy(folder), clock, IDS, reviewer=DEMO)


@pytest.fixture
def session(copy: Path) -> Iterator[Session]:
    opened = review(copy, run(copy).run.id)
    yield opened
    opened.store.close()


def decisions(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_bytes()) for path in sorted(folder.glob("decisions/*.json"))]


def test_decisions_are_dated_from_today_and_signed_demo(copy: Path) -> None:
    made = decisions(copy)
    left = [(date.fromisoformat(str(one["expires_at"])) - NOW.date()).days for one in made]
    assert left == [-1, 5, 60, 90]
    assert {one["reviewer"] for one in made} == {"demo"}


def test_an_earlier_copy_is_left_as_it_is_until_it_is_reset(copy: Path) -> None:
    policy = copy / "evaltui.toml"
    policy.write_text("# mine\n", "utf-8")
    assert demo.prepare(copy, CLOCK, IDS) == copy / demo.SUITE
    assert policy.read_text("utf-8") == "# mine\n"
    demo.prepare(copy, CLOCK, IDS, reset=True)
    assert policy.read_text("utf-8") != "# mine\n"


def test_nothing_but_the_copy_is_left_behind(prepared: Path) -> None:
    assert [path.name for path in prepared.parent.iterdir()] == ["evaltui-demo"]
    assert not (prepared / ".evaltui").exists()
    assert not (prepared / "before").exists()


def test_the_demo_can_be_prepared_under_ci(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    folder = demo.prepare(tmp_path / "evaltui-demo", CLOCK, IDS).parent
    assert len(decisions(folder)) == 4


def test_a_folder_that_is_no_copy_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="no copy of the demo"):
        demo.prepare(tmp_path, CLOCK, IDS, reset=True)
    assert (tmp_path / "notes.txt").read_text("utf-8") == "mine"


def test_everything_a_triage_can_meet_is_there(session: Session) -> None:
    rows = by_id(session)
    assert len([row for row in rows.values() if not row.removed]) == 40
    assert {name for row in rows.values() for name in row.slices} == {
        "lang=en",
        "lang=fr",
        "lang=ja",
    }
    gates = {
        "en-late-refund": Gate.FAIL,
        "en-double-charge": Gate.FAIL,
        "fr-how-emballage": Gate.DRIFT,
        "fr-consigne-neuve": Gate.NEW,
        "en-opening-hours": Gate.EXPIRED,
        "ja-hikkoshi": Gate.UNREVIEWED,
        "en-customs": Gate.COVERAGE,
        "ja-ryoushusho": Gate.COVERAGE,
        "fr-client-fache": Gate.SUSPENDED,
        "en-grand-clock": Gate.SUSPENDED,
        "en-fax-form": Gate.REMOVED,
    }
    assert {case: rows[case].gates for case in gates} == {
        case: (gate,) for case, gate in gates.items()
    }
    badges = {
        "en-how-insure": "tolerated",
        "en-left-outside": "unstable",
        "en-moved-house": "revised",
        "fr-point-relais": "expiring",
    }
    assert {case: rows[case].badges for case in badges} == {
        case: (badge,) for case, badge in badges.items()
    }
    assert all(rows[case].outcome is Outcome.PASS for case in badges)
    assert rows["en-how-insure"].change == "-0.05"
    assert (rows["en-customs"].kind, rows["ja-ryoushusho"].kind) == ("invalid_reply", "timeout")


def test_five_cases_changed_alike(session: Session) -> None:
    shape = by_id(session)["en-box-crushed"].shape
    assert [row.case_id for row in session.rows if row.shape == shape] == [
        "en-box-crushed",
        "en-wrong-item",
        "fr-boite-ecrasee",
        "fr-mauvais-article",
        "ja-hako-tsubure",
    ]


ACTS: list[tuple[Action, str]] = [
    (Action.ACCEPT_BASELINE, "en-late-refund"),
    (Action.ACCEPT_BASELINE, "en-odd-label"),
    (Action.ACCEPT_BASELINE, "en-opening-hours"),
    (Action.ACCEPT_BASELINE, "fr-consigne-neuve ja-hikkoshi"),
    (
        Action.ACCEPT_BASELINE,
        "en-box-crushed en-wrong-item fr-boite-ecrasee fr-mauvais-article ja-hako-tsubure",
    ),
    (Action.ACCEPT_BASELINE, "en-double-charge"),
    (Action.WIDEN_TOLERANCE, "fr-how-emballage"),
    (Action.WAIVE, "en-customs ja-ryoushusho"),
    (Action.WAIVE, "en-fax-form"),
    (Action.APPROVE_ESCALATION, "fr-client-fache"),
    (Action.APPROVE_ESCALATION, "en-grand-clock"),
]


def test_a_triage_of_at_most_twelve_acts_leaves_nothing_red_until_one_expires(
    copy: Path, session: Session
) -> None:
    form = DecisionForm(DEMO, reason="shown in the demo", cause=Cause.OTHER, expires="90d")
    for action, cases in ACTS:
        indices = [session.find_case(case) for case in cases.split()]
        session.commit(session.plan(action, indices), form)
    assert len(ACTS) <= 12
    again = review(copy, run(copy).run.id)
    assert [row.case_id for row in again.rows if row.red] == []
    assert again.gate_report().exit_code == 0
    unstable = [row.case_id for row in again.rows if Gate.UNSTABLE in row.gates]
    assert unstable == ["en-left-outside"]
    again.store.close()

    later = Clock(lambda: NOW + timedelta(days=6))
    expired = review(copy, run(copy, later).run.id, later)
    assert [row.case_id for row in expired.rows if row.red] == [
        "fr-point-relais",
        "fr-changer-creneau",
    ]
    assert expired.gate_report().exit_code == 1
    expired.store.close()
