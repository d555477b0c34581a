"""Small runs and cases for the store's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.models import (
    CaseError,
    CaseResult,
    CaseSpec,
    CaseSummary,
    FailureClass,
    Judgement,
    Mode,
    Outcome,
    RunInfo,
    Section,
    Suspension,
)
from evaltui.store import Store, open_store

Finished = tuple[CaseSpec, CaseResult, Judgement, CaseSummary]


def _section(number: int = 0, suite: str = "s.ulx", folder: str = "/p", name: str = "B") -> Section:
    return Section(number, "ulexite", suite, folder, name, "suite", "dataset", 3)


def _run(
    run_id: str = "aaaa1111", mode: Mode = Mode.LIVE, sections: tuple[Section, ...] | None = None
) -> RunInfo:
    return RunInfo(
        id=run_id,
        label="",
        started_at="2026-01-31T12:00:00Z",
        mode=mode,
        instrument="Writer openai m",
        policy_digest="policy",
        sections=(_section(),) if sections is None else sections,
        arguments=("run", "s.ulx"),
        project_root="/p",
    )


def _spec(index: int, case_id: str | None = None, section: int = 0) -> CaseSpec:
    row = f'{{"n":{index}}}'
    return CaseSpec(index, section, case_id or f"case-{index}", f"digest-{index}", row, ("l=fr",))


def _finished(
    spec: CaseSpec,
    outcome: Outcome = Outcome.PASS,
    failure_class: FailureClass | None = None,
    output: str | None = '{"Text":"x"}',
) -> Finished:
    error = CaseError(failure_class, "timeout", "no answer") if failure_class else None
    suspension = (
        Suspension("boss", "why", "{}", "0" * 64, 0) if outcome is Outcome.SUSPENDED else None
    )
    result = CaseResult(spec.index, output=output, error=error, suspension=suspension)
    judgement = Judgement(outcome, failure_class=failure_class)
    summary = CaseSummary(
        spec.index,
        spec.section,
        spec.case_id,
        outcome,
        spec.slices,
        failure_class,
        red=judgement.red,
    )
    return spec, result, judgement, summary


@pytest.fixture
def make_section() -> Callable[..., Section]:
    return _section


@pytest.fixture
def make_run() -> Callable[..., RunInfo]:
    return _run


@pytest.fixture
def make_spec() -> Callable[..., CaseSpec]:
    return _spec


@pytest.fixture
def make_finished() -> Callable[..., Finished]:
    return _finished


@pytest.fixture
def clock() -> Clock:
    return Clock(lambda: datetime(2026, 1, 31, 12, tzinfo=UTC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".evaltui" / "trace.db"


@pytest.fixture
def store(path: Path, clock: Clock) -> Iterator[Store]:
    with open_store(path, clock) as opened:
        yield opened


@pytest.fixture
def store_run(store: Store) -> Callable[..., RunInfo]:
    """Store a run with finished cases: ``store_run(run, cases, planned=specs)``."""

    def save(run: RunInfo, cases: list[Finished], planned: list[CaseSpec] | None = None) -> RunInfo:
        begun = store.begin_run(run, [case[0] for case in cases] if planned is None else planned)
        with store.writer(begun.id) as writer:
            for case in cases:
                writer.put(*case)
        return begun

    return save
