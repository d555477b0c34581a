"""A suite folder on disk and the few moves that tests of reviews are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from msgspec.structs import replace

from evaltui.clock import Clock, Ids
from evaltui.engine import snapshots
from evaltui.engine.values import Value, content_hash, score, tagged
from evaltui.models import (
    Action,
    CaseResult,
    CaseSpec,
    Cause,
    CheckKind,
    CheckResult,
    CheckState,
    Decision,
    Judgement,
    Mode,
    RunInfo,
    Section,
    Target,
)
from evaltui.project import Policy
from evaltui.review import decision_files, value_files
from evaltui.review.context import ReviewContext
from evaltui.review.judging import judge_case
from evaltui.review.removal import removed_cases
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import Session
from evaltui.review.summary import summarise
from evaltui.store.store import Store, open_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


T = TypeVar("T")


def changed(thing: T, members: Mapping[str, object]) -> T:
    """A copy of a frozen dataclass with some members replaced."""
    return cast(T, replace(cast(Any, thing), **members))


@dataclass
class Desk:
    """A folder with one suite, one benchmark and a clock that moves a second a decision."""

    folder: Path
    policy: Policy = field(default_factory=Policy)
    now: datetime = NOW
    section: Section = field(init=False)

    def __post_init__(self) -> None:
        self.section = Section(0, "ulexite", "a.ulx", str(self.folder), "Replies", "s", "d", 1)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now)

    def context(self, run_id: str | None = None) -> ReviewContext:
        return ReviewContext.load([self.section], self.policy, self.clock, run_id=run_id)

    def judge(self, *checks: CheckResult, case_id: str = "one", **more: object) -> Judgement:
        return judge_case(self.spec(case_id), changed(CaseResult(0, checks), more), self.context())

    def baseline(self, key: str, value: Value) -> Path:
        path = snapshots.path_of(self.folder, "Replies", key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(snapshots.encode(key, value))
        return path

    def value_file(self, value: Value) -> str:
        digest = content_hash(value)
        path = value_files.path_of(self.folder, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value_files.encode(value))
        return digest

    def target(self, case_id: str | None = "one", **more: object) -> Target:
        return changed(Target("a.ulx", "Replies", case_id), more)

    def decide(self, action: Action, targets: Sequence[Target], **more: object) -> Decision:
        self.now += timedelta(seconds=1)
        bare = Decision("", action, "ana", self.clock.stamp(), tuple(targets), reason="because")
        decision = decision_files.sign(changed(bare, more))
        path = decision_files.path_of(self.folder, decision)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(decision_files.encode(decision))
        return decision

    def accept(
        self,
        value: Value,
        *,
        case_id: str | None = "one",
        key: str = "k",
        expires: str = "2026-06-01",
        check: str | None = None,
        **target: object,
    ) -> Decision:
        if check is None:
            self.baseline(key, value)
        digest = self.value_file(value)
        about = self.target(case_id, check=check or f"snapshot:{key}", new_digest=digest, **target)
        return self.decide(Action.ACCEPT_BASELINE, [about], expires_at=expires, cause=Cause.INITIAL)

    def widen(self, number: str, *, expires: str = "2026-06-01", **target: object) -> Decision:
        named = {"old_tolerance": "0", "new_tolerance": number, **target}
        about = changed(self.target(), named)
        return self.decide(Action.WIDEN_TOLERANCE, [about], expires_at=expires)

    def waive(self, case_id: str = "one", expires: str = "2026-06-01") -> Decision:
        return self.decide(Action.WAIVE, [self.target(case_id)], expires_at=expires)

    def revert(self, decision: Decision, **target: object) -> Decision:
        about = Target("", "", None, decision=decision.id)
        return self.decide(Action.REVERT, [changed(about, target)])

    @staticmethod
    def spec(case_id: str = "one", **more: object) -> CaseSpec:
        return changed(CaseSpec(0, 0, case_id, "row", '{"q":"hi"}'), more)

    @staticmethod
    def snapshot(value: Value, key: str = "k") -> CheckResult:
        return CheckResult(
            f"snapshot:{key}", CheckKind.SNAPSHOT, CheckState.COMPARED, value=tagged(value), key=key
        )

    @staticmethod
    def expect(number: float, check: str = "expect#1", **more: object) -> CheckResult:
        bare = CheckResult(check, CheckKind.EXPECT, CheckState.PASS, value=tagged(score(number)))
        return changed(bare, more)

    @staticmethod
    def holds(check: str = "assert#1") -> CheckResult:
        return CheckResult(check, CheckKind.ASSERT, CheckState.PASS)

    @staticmethod
    def breaks(check: str = "assert#1", message: str = "assertion failed") -> CheckResult:
        return CheckResult(check, CheckKind.ASSERT, CheckState.FAIL, message)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    yield Desk(tmp_path)


@dataclass
class Room(Desk):
    """A desk with a store and a run in it."""

    results: list[tuple[CaseSpec, CaseResult]] = field(default_factory=list)
    store: Store = field(init=False)
    run_id: str = "run-1"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.store = open_store(self.folder / ".evaltui" / "trace.db", self.clock)

    def case(self, case_id: str, *checks: CheckResult, **more: object) -> int:
        """Add a case to the run that ``open`` will store."""
        index = len(self.results)
        spec = changed(CaseSpec(index, 0, case_id, f"row of {case_id}", '{"q":"hi"}'), {})
        if "slices" in more:
            spec = replace(spec, slices=cast(Any, more.pop("slices")))
        self.results.append((spec, changed(CaseResult(index, checks), more)))
        return index

    def run_info(self) -> RunInfo:
        return RunInfo(
            self.run_id,
            "",
            self.clock.stamp(),
            Mode.LIVE,
            "live",
            self.policy.digest,
            (replace(self.section, cases=len(self.results)),),
            (),
            str(self.folder),
        )

    def store_run(self) -> None:
        """Judge and store the cases, as a run would."""
        specs = [spec for spec, _ in self.results]
        self.store.begin_run(self.run_info(), specs)
        context = self.context(self.run_id)
        with self.store.writer(self.run_id) as writer:
            for spec, result in self.results:
                judgement = judge_case(spec, result, context)
                writer.put(spec, result, judgement, summarise(spec, result, judgement))
            for spec, result, judgement in removed_cases(context, specs):
                writer.put(spec, result, judgement, summarise(spec, result, judgement))
        self.store.finish_run(self.run_id, "finished", self.clock.stamp())

    def open(self, **more: Any) -> Session:  # noqa: ANN401
        """A session over the run, stored now if it was not yet."""
        if not self.store.runs():
            self.store_run()
        self.now += timedelta(seconds=1)
        return Session.open(
            self.store,
            self.run_id,
            self.policy,
            self.clock,
            Ids(),
            reviewer=Reviewer("ana", "ana@example.org"),
            **more,
        )

    def files(self) -> dict[str, bytes]:
        """Decisions and baselines on disk, by name."""
        folders = ("decisions", "snapshots")
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for folder in folders
            for path in (self.folder / folder).rglob("*")
            if path.is_file()
        }


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Acts are refused under CI, where these tests run too."""
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    yield room
    room.store.close()
