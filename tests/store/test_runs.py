from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.models import CaseSpec, Mode, Outcome, RunInfo, Section
from evaltui.store import Store, open_store

MakeRun = Callable[..., RunInfo]
MakeSpec = Callable[..., CaseSpec]
MakeFinished = Callable[..., tuple[object, ...]]
StoreRun = Callable[..., RunInfo]


def test_labels_count_up_and_survive_reopening(
    store: Store, path: Path, clock: Clock, make_run: MakeRun
) -> None:
    labels = [store.begin_run(make_run(f"id{n}"), []).label for n in range(2)]
    with open_store(path, clock) as again:
        labels.append(again.begin_run(make_run("id2"), []).label)

    assert labels == ["r1", "r2", "r3"]


def test_a_run_is_found_by_label_id_beginning_and_as_the_latest(
    store: Store, make_run: MakeRun
) -> None:
    first = store.begin_run(make_run("aaaa1111"), [])
    second = store.begin_run(make_run("bbbb2222", Mode.MOCK), [])

    assert store.run("r1") == store.run("aaaa1111") == store.run("aa") == first
    assert store.run() == second


@pytest.mark.parametrize("reference", ["r9", "cc", "", "%", "aaaa11112"])
def test_an_unknown_run_is_one_line_that_names_it(
    store: Store, make_run: MakeRun, reference: str
) -> None:
    store.begin_run(make_run("aaaa1111"), [])

    with pytest.raises(StoreError, match="no run") as caught:
        store.run(reference)
    assert repr(reference) in str(caught.value)


def test_a_beginning_of_two_ids_names_both_runs(store: Store, make_run: MakeRun) -> None:
    store.begin_run(make_run("aaaa1111"), [])
    store.begin_run(make_run("aaaa2222"), [])

    with pytest.raises(StoreError, match=r"names several runs; it begins the ids of r1, r2"):
        store.run("aaaa")


def test_an_empty_store_says_that_no_run_is_stored(store: Store) -> None:
    with pytest.raises(StoreError, match="no run is stored yet"):
        store.run()
    assert store.runs() == []


def test_an_id_is_stored_once(store: Store, make_run: MakeRun) -> None:
    store.begin_run(make_run(), [])

    with pytest.raises(StoreError, match="exists already"):
        store.begin_run(make_run(), [])
    assert [run.label for run in store.runs()] == ["r1"]


def test_finishing_and_reopening_a_run(store: Store, make_run: MakeRun) -> None:
    run = store.begin_run(make_run(), [])

    store.finish_run(run.id, "interrupted", "2026-01-31T12:05:00Z", ["row 3 is odd"])
    ended = store.run(run.id)
    resumed = store.reopen_run(run.id)

    assert (ended.state, ended.finished_at) == ("interrupted", "2026-01-31T12:05:00Z")
    assert ended.problems == ("row 3 is odd",)
    assert (resumed.state, resumed.finished_at) == ("running", None)


def test_the_history_counts_every_planned_case(
    store: Store,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    make_section: Callable[..., Section],
    store_run: StoreRun,
) -> None:
    sections = (make_section(0), make_section(1, name="C"), make_section(2, suite="t.ulx"))
    specs = [make_spec(i) for i in range(4)]
    cases = [make_finished(specs[0]), make_finished(specs[1], Outcome.FAIL)]
    store_run(make_run("aaaa1111"), [make_finished(make_spec(0))])
    store_run(make_run("bbbb2222", sections=sections), cases, specs)

    latest, first = store.runs()

    assert (latest.label, latest.total, latest.red) == ("r2", 4, 1)
    assert latest.counts == {Outcome.PASS: 1, Outcome.FAIL: 1, Outcome.SKIPPED: 2}
    assert (latest.suites, latest.benchmarks) == (("s.ulx", "t.ulx"), ("B", "C"))
    assert (first.total, first.counts) == (1, {Outcome.PASS: 1})
    assert store.counts("bbbb2222") == latest.counts
    assert store.runs(limit=1) == [latest]
