"""The identity of cases, which decisions hang on."""

from __future__ import annotations

import random

import pytest

from evaltui.engine.values import UNIT, Value, content_hash
from evaltui.errors import SuiteError
from evaltui.suites.case_ids import case_ids, slices


def ids(*rows: Value, column: str | None = None, read: frozenset[str] | None = None) -> list[str]:
    return case_ids(list(rows), column, read, "s.ulx: B")


def test_the_policy_names_the_column_first() -> None:
    assert ids({"id": "x", "key": 7}, column="key") == ["7"]
    with pytest.raises(SuiteError, match="row 2 has no 'key'"):
        ids({"key": 1}, {"id": 2}, column="key")


def test_known_columns_come_in_their_order() -> None:
    assert ids({"fixture_id": "f", "case_id": "c", "id": "i"}) == ["i"]
    assert ids({"fixture_id": "f", "case_id": "c"}) == ["c"]
    assert ids({"fixture_id": 12}) == ["12"]


def test_ids_are_text() -> None:
    with pytest.raises(SuiteError, match="rows 1 and 2 have the same id '1'"):
        ids({"id": 1}, {"id": "1"})


def test_without_an_id_the_columns_that_run_reads_make_one() -> None:
    first, second = ids({"q": "a", "n": 1}, {"q": "b", "n": 1}, read=frozenset("q"))
    assert first == content_hash({"q": "a"})[:16]
    assert first != second
    assert ids({"q": "a", "n": 2, "more": UNIT}, read=frozenset("q")) == [first]


def test_a_run_that_reads_whole_rows_makes_ids_of_whole_rows() -> None:
    assert ids({"q": "a"}) == [content_hash({"q": "a"})[:16]]
    assert ids("plain") == [content_hash("plain")[:16]]


def test_equal_rows_get_ordinals() -> None:
    first, second, third = ids({"q": "a"}, {"q": "a"}, {"q": "a"})
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_the_order_of_rows_does_not_move_ids() -> None:
    rows: list[Value] = [{"q": str(number % 5), "n": number} for number in range(20)]
    shuffled = rows.copy()
    random.Random(3).shuffle(shuffled)
    read = frozenset("q")
    assert sorted(ids(*rows, read=read)) == sorted(ids(*shuffled, read=read))


def test_ids_that_are_no_plain_values_do_not_count() -> None:
    assert ids({"id": ["a"], "case_id": "c"}) == ["c"]
    assert ids({"id": True, "case_id": "c"}) == ["c"]


def test_slices_are_named_after_their_columns() -> None:
    columns = {"lang": "language", "tag": "tags", "gone": "nope"}
    row: Value = {"language": "fr", "tags": ["a", "b"], "n": 1}
    assert slices(row, columns) == ("lang=fr", "tag=a", "tag=b")
    assert slices("no record", columns) == ()


def test_an_empty_id_names_nothing() -> None:
    assert ids({"id": "", "case_id": "c"}) == ["c"]
    assert ids({"id": ""}, {"id": ""}) == [ids({"id": ""})[0], f"{ids({'id': ''})[0]}-2"]
    with pytest.raises(SuiteError, match="row 2 has an empty 'key'; give every row an id"):
        ids({"key": "a"}, {"key": ""}, column="key")


def test_a_message_about_a_long_id_is_short() -> None:
    with pytest.raises(SuiteError) as caught:
        ids({"id": "x" * 10_000}, {"id": "x" * 10_000})
    assert len(str(caught.value)) < 250
