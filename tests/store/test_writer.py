from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.models import CaseResult, CaseSpec, CaseSummary, Judgement, Mode, RunInfo
from evaltui.store import CachedAnswer, Store, Writer, open_store
from evaltui.store.connection import connect
from evaltui.store.writer import LIMIT

Finished = tuple[CaseSpec, CaseResult, Judgement, CaseSummary]
MakeRun = Callable[..., RunInfo]
MakeSpec = Callable[..., CaseSpec]
MakeFinished = Callable[..., Finished]

ANSWER = CachedAnswer(
    value='{"Text":"hi"}',
    vendor="openai",
    model="m",
    answered_by="m-2026",
    answered_at="2026-01-31T12:00:00Z",
    latency_ms=812.5,
    mode=Mode.LIVE,
    input_tokens=10,
    output_tokens=2,
    cost=Decimal("0.000012"),
    run_id="aaaa1111",
    run_label="r1",
)


def test_what_was_flushed_is_seen_by_others(
    store: Store,
    path: Path,
    clock: Clock,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
) -> None:
    run = store.begin_run(make_run(), [make_spec(0)])
    with store.writer(run.id) as writer, open_store(path, clock) as other:
        writer.put(*make_finished(make_spec(0)))
        writer.flush()
        assert other.durable(run.id) == {0}
        writer.flush()


def test_more_cases_than_fit_into_memory_are_all_stored(
    store: Store, make_run: MakeRun, make_spec: MakeSpec, make_finished: MakeFinished
) -> None:
    total = 2 * LIMIT + 17
    run = store.begin_run(make_run(), [])
    with store.writer(run.id) as writer:
        for index in range(total):
            writer.put(*make_finished(make_spec(index)))

    assert store.durable(run.id) == set(range(total))


def test_an_answer_is_found_at_once_and_by_later_processes(
    store: Store, path: Path, clock: Clock, make_run: MakeRun
) -> None:
    run = store.begin_run(make_run(), [])
    with store.writer(run.id) as writer:
        writer.cache("key", ANSWER)
        assert store.cached("key") == ANSWER
        writer.flush()
        assert store.cached("key") == ANSWER
    with open_store(path, clock) as later:
        assert later.cached("key") == ANSWER
        assert later.cached("other") is None


def test_a_full_disk_is_one_line_and_keeps_what_was_committed(
    store: Store,
    path: Path,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
) -> None:
    def nearly_full() -> sqlite3.Connection:
        connection = connect(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 8}")
        return connection

    run = store.begin_run(make_run(), [])
    writer = Writer(path, 1, 0, {}, nearly_full, lambda: None)
    writer.put(*make_finished(make_spec(0)))
    writer.flush()
    large = "".join(map(str, range(20_000)))

    def fill() -> None:
        for index in range(1, 100):
            writer.put(*make_finished(make_spec(index), output=large))
        writer.flush()

    with pytest.raises(StoreError, match="no space left for the store; free some space"):
        fill()
    with pytest.raises(StoreError, match="no space left"):
        writer.put(*make_finished(make_spec(100)))
    with pytest.raises(StoreError, match="no space left"):
        writer.close()
    assert 0 in store.durable(run.id)
    assert len(list(store.records(run.id))) == len(store.durable(run.id))


def test_a_lock_held_too_long_is_one_line(
    path: Path,
    clock: Clock,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
) -> None:
    with open_store(path, clock, busy_s=0.02) as store:
        run = store.begin_run(make_run(), [])
        with closing(connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            writer = store.writer(run.id)
            writer.put(*make_finished(make_spec(0)))
            with pytest.raises(StoreError, match="the store is locked by another process; wait"):
                writer.close()
            with pytest.raises(StoreError, match="the store is locked"):
                store.finish_run(run.id, "finished", None)


def test_a_lock_held_shortly_is_waited_for(
    store: Store,
    path: Path,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
) -> None:
    run = store.begin_run(make_run(), [])
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer = store.writer(run.id)
        writer.put(*make_finished(make_spec(0)))
        other.execute("ROLLBACK")
        writer.close()

    assert store.durable(run.id) == {0}


def test_a_closed_writer_takes_nothing_more(
    store: Store, make_run: MakeRun, make_spec: MakeSpec, make_finished: MakeFinished
) -> None:
    run = store.begin_run(make_run(), [])
    writer = store.writer(run.id)
    writer.close()
    writer.close()

    with pytest.raises(StoreError, match="the writer is closed"):
        writer.put(*make_finished(make_spec(0)))


@pytest.mark.parametrize("loss", ["moved", "replaced"])
def test_a_store_that_is_taken_away_is_noticed(
    store: Store,
    path: Path,
    clock: Clock,
    make_run: MakeRun,
    make_spec: MakeSpec,
    make_finished: MakeFinished,
    loss: str,
) -> None:
    run = store.begin_run(make_run(), [])
    writer = store.writer(run.id)
    writer.put(*make_finished(make_spec(0)))
    writer.flush()
    path.rename(path.with_name("elsewhere.db"))
    if loss == "replaced":
        open_store(path, clock).close()

    writer.put(*make_finished(make_spec(1)))
    with pytest.raises(StoreError, match="was moved or deleted while it was in use; put it back"):
        writer.close()
    with pytest.raises(StoreError, match="was moved or deleted"):
        store.finish_run(run.id, "finished", None)
