"""A suite folder on disk and the few moves that tests of reviews are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from evaltui.clock import Clock
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
    Section,
    Target,
)
from evaltui.project import Policy
from evaltui.review import decision_files, value_files
from evaltui.review.context import ReviewContext
from evaltui.review.judging import judge_case

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
