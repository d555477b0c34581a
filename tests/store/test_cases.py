from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from evaltui.errors import StoreError
from evaltui.models import (
    CaseResult,
    CaseSpec,
    CaseSummary,
    FailureClass,
    Judgement,
    Mode,
    Outcome,
    RunInfo,
    Section,
)
from evaltui.store import CaseRecord, Store

Finished = tuple[CaseSpec, CaseResult, Judgement, CaseSummary]
MakeRun = Callable[..., RunInfo]
MakeSpec = Callable[..., CaseSpec]
MakeFinished = Callable[..., Finished]
StoreRun = Callable[..., RunInfo]


def test_every_planned_case_has_a_summary_at_its_index(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    specs = [make_spec(i) for i in range(4)]
    done = [make_finished(specs[3]), make_finished(specs[1], Outcome.FAIL)]
    run = store_run(make_run(), done, specs)

    summaries = store.summaries(run.id)

    assert [s.index for s in summaries] == [0, 1, 2, 3]
    assert [summaries[1], summaries[3]] == [done[1][3], done[0][3]]
    unrun = CaseSummary(0, 0, "case-0", Outcome.SKIPPED, ("l=fr",), message="not run")
    assert summaries[0] == unrun


def test_a_record_holds_the_row_the_result_and_the_judgement(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    specs = [make_spec(i) for i in range(2)]
    spec, result, judgement, summary = make_finished(specs[0], Outcome.FAIL)
    run = store_run(make_run(), [(spec, result, judgement, summary)], specs)

    assert store.record(run.id, 0) == CaseRecord(spec, result, judgement)
    unrun = CaseRecord(specs[1], CaseResult(1, skipped="not run"), Judgement(Outcome.SKIPPED))
    assert list(store.records(run.id)) == [CaseRecord(spec, result, judgement), unrun]
    with pytest.raises(StoreError, match="has no case 2"):
        store.record(run.id, 2)


def test_records_of_a_long_run_come_in_case_order(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    run = store_run(make_run("a"), [make_finished(make_spec(i)) for i in reversed(range(501))])
    store_run(make_run("b"), [make_finished(make_spec(0))])

    assert [record.spec.index for record in store.records(run.id)] == list(range(501))


def test_a_case_that_was_not_planned_is_appended_with_its_row(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    planned, removed = make_finished(make_spec(0)), make_finished(make_spec(1, "gone"))
    run = store_run(make_run(), [planned, removed], [planned[0]])

    assert [s.case_id for s in store.summaries(run.id)] == ["case-0", "gone"]
    assert store.record(run.id, 1).spec == removed[0]


def test_a_later_result_of_a_case_takes_the_place_of_the_earlier(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    spec = make_spec(0)
    second = make_finished(spec, output='{"Text":"again"}')
    run = store_run(make_run(), [make_finished(spec, Outcome.ERROR), second], [spec])

    assert store.summaries(run.id) == [second[3]]
    assert store.record(run.id, 0).result == second[1]
    assert store.counts(run.id) == {Outcome.PASS: 1}


def test_judgements_change_and_results_stay(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    spec, result, judgement, summary = make_finished(make_spec(0), Outcome.REVIEW)
    run = store_run(make_run(), [(spec, result, judgement, summary)])
    accepted = Judgement(Outcome.PASS, decision="ana, 90d")
    shown = replace(summary, outcome=Outcome.PASS, red=False)

    store.update_judgements(run.id, [(0, accepted, shown)])

    assert store.record(run.id, 0) == CaseRecord(spec, result, accepted)
    assert store.summaries(run.id) == [shown]
    assert (store.counts(run.id), store.runs()[0].red) == ({Outcome.PASS: 1}, 0)


def test_resuming_repeats_only_what_has_no_durable_result(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    specs = [make_spec(i) for i in range(8)]
    outcomes: list[tuple[Outcome, FailureClass | None]] = [
        (Outcome.PASS, None),
        (Outcome.FAIL, FailureClass.SEMANTIC),
        (Outcome.ERROR, FailureClass.INFRASTRUCTURE),
        (Outcome.ERROR, FailureClass.MALFORMED),
        (Outcome.SKIPPED, None),
        (Outcome.SUSPENDED, None),
        (Outcome.SUSPENDED, None),
    ]
    cases = [make_finished(spec, *pair) for spec, pair in zip(specs[:7], outcomes, strict=True)]
    run = store_run(make_run(), cases, specs)

    assert store.durable(run.id) == {0, 1, 3, 5, 6}
    assert store.durable(run.id, lambda record: record.spec.index == 6) == {0, 1, 3, 5}


def test_the_old_value_is_the_latest_output_of_an_earlier_run(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    def case(index: int, output: str | None) -> Finished:
        return make_finished(make_spec(index), output=output)

    store_run(make_run("a"), [case(0, "1"), case(1, "2"), case(2, "3")])
    store_run(make_run("b"), [case(0, "4"), case(1, None)])
    store_run(make_run("c"), [case(0, "5")])
    wanted = [f"case-{i}" for i in range(4)]

    assert store.latest_outputs("s.ulx", "B", before="c") == {"case-0": ("r2", "4")}
    assert store.latest_outputs("s.ulx", "B", before="c", wanted=wanted) == {
        "case-0": ("r2", "4"),
        "case-1": ("r1", "2"),
        "case-2": ("r1", "3"),
    }
    assert store.latest_outputs("s.ulx", "B", before="a", wanted=wanted) == {}
    assert store.latest_outputs("other.ulx", "B", before="c") == {}


def test_running_one_case_again_does_not_hide_the_old_values_of_the_others(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    specs = [make_spec(0), make_spec(1)]
    store_run(make_run("a"), [make_finished(spec, output="1") for spec in specs])
    store_run(make_run("b"), [make_finished(specs[0], output="2")])
    store_run(make_run("c"), [], specs)

    found = store.latest_outputs("s.ulx", "B", before="c")
    assert found == {"case-0": ("r2", "2"), "case-1": ("r1", "1")}


def test_outputs_of_a_canned_run_are_no_old_values_of_a_live_one(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
) -> None:
    store_run(make_run("a", Mode.LIVE), [make_finished(make_spec(0), output="1")])
    store_run(make_run("b", Mode.MOCK), [make_finished(make_spec(0), output="2")])
    store_run(make_run("c", Mode.REPLAY), [], [make_spec(0)])
    store_run(make_run("d", Mode.MOCK), [], [make_spec(0)])

    assert store.latest_outputs("s.ulx", "B", before="c") == {"case-0": ("r1", "1")}
    assert store.latest_outputs("s.ulx", "B", before="d") == {"case-0": ("r2", "2")}


def test_suites_of_one_name_in_two_folders_are_kept_apart(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    store_run: StoreRun,
    make_section: Callable[..., Section],
) -> None:
    sections = (make_section(0, folder="/p/a"), make_section(1, folder="/p/b"))
    cases = [
        make_finished(make_spec(0, "same"), output="1"),
        make_finished(make_spec(1, "same", section=1), output="2"),
    ]
    store_run(make_run("a", sections=sections), cases)
    store_run(make_run("b", sections=sections), [], [case[0] for case in cases])

    found = store.latest_outputs("s.ulx", "B", before="b", folder="/p/b")
    assert found == {"same": ("r1", "2")}
