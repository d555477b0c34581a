from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.store import MarkState, Store, open_store


def test_an_act_that_was_not_finished_is_found_at_the_next_start(
    store: Store, path: Path, clock: Clock
) -> None:
    first = store.log_intent("one", '{"step":1}')
    store.log_intent("two", "{}")
    store.log_intent("three", "{}")
    store.finish_intent("two")
    store.finish_intent("three", "restored")

    with open_store(path, clock) as later:
        assert later.open_intents() == [first]
    assert (first.created_at, first.content) == ("2026-01-31T12:00:00.000000Z", '{"step":1}')


def test_undo_and_redo_walk_the_stack_after_a_restart(
    store: Store, path: Path, clock: Clock
) -> None:
    one, two = store.push_mark("/p", "one"), store.push_mark("/p", "two")
    assert store.last_done("/p") == two

    store.set_mark(two.number, MarkState.UNDONE, "two, taken back")
    store.set_mark(one.number, MarkState.UNDONE)
    with open_store(path, clock) as later:
        assert later.last_done("/p") is None
        undone = later.next_undone("/p")
        assert undone is not None
        assert undone.content == "one"
        later.set_mark(one.number, MarkState.DONE)
        assert later.last_done("/p") == one
        again = later.next_undone("/p")
        assert again is not None
        assert again.content == "two, taken back"


def test_a_new_act_ends_redo(store: Store) -> None:
    one = store.push_mark("/p", "one")
    store.set_mark(one.number, MarkState.UNDONE)
    store.push_mark("/p", "two")

    assert store.next_undone("/p") is None


def test_projects_on_one_store_have_stacks_of_their_own(store: Store) -> None:
    store.push_mark("/p", "one")

    assert store.last_done("/other") is None


def test_a_mark_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no mark 7"):
        store.set_mark(7, MarkState.UNDONE)
