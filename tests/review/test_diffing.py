"""What two values come to side by side."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.engine.values import Value, fail, score, tagged
from evaltui.review.diffing import ValueDiff, diff_values, value_text
from evaltui.review.json_diff import diff_json
from evaltui.review.spans import Role, plain_text
from evaltui.review.text_diff import Row, diff_texts


def diff(old: Value, new: Value, **options: object) -> ValueDiff:
    return diff_values(tagged(old), tagged(new), **options)  # type: ignore[arg-type]


def sides(rows: tuple[Row, ...] | list[Row]) -> list[tuple[str | None, str | None]]:
    return [
        (
            None if row.left is None else plain_text(row.left),
            None if row.right is None else plain_text(row.right),
        )
        for row in rows
    ]


def words(row: Row, role: Role) -> list[str]:
    return [span.text for span in (*(row.left or ()), *(row.right or ())) if span.role is role]


def test_changed_words_are_marked_within_aligned_lines() -> None:
    found = diff("It ships on Monday.\nBye", "Hello\nIt ships on Friday.\nBye")
    assert found.kind == "text"
    assert sides(found.rows)[-1] == ("Bye", "Bye")
    changed = [row for row in found.rows if row.changed]
    assert ["Monday" in words(row, Role.OLD_WORD) for row in changed].count(True) <= 1
    assert {text for row in changed for text in words(row, Role.NEW_WORD)} & {"Friday", "Hello"}


def test_lines_with_little_in_common_are_gone_and_new() -> None:
    (row,) = diff("alpha beta gamma", "one two three").rows
    assert words(row, Role.OLD_WORD) == ["alpha beta gamma"]
    assert words(row, Role.NEW_WORD) == ["one two three"]


@settings(max_examples=60)
@given(st.text(max_size=80), st.text(max_size=80))
def test_both_texts_can_be_read_back_from_the_rows(old: str, new: str) -> None:
    from evaltui.review.spans import safe_lines

    rows = diff_texts(old, new)
    assert [plain_text(row.left) for row in rows if row.left is not None] == safe_lines(old)
    assert [plain_text(row.right) for row in rows if row.right is not None] == safe_lines(new)


def test_numbers_are_compared_as_decimals_with_their_tolerance() -> None:
    inside = diff(score(0.1), score(0.3), tolerance="0.2")
    assert (inside.kind, inside.notes) == ("number", ("moved +0.2, tolerance 0.2: inside",))
    beyond = diff(3, 1, tolerance="0.5")
    assert beyond.notes == ("moved -2, tolerance 0.5: beyond by 1.5",)
    assert diff(True, False).kind == "text"
    assert diff(fail("a"), fail("b")).kind == "text"


def test_records_show_the_paths_that_changed() -> None:
    old: Value = {"a": 1, "b": {"c": "old text here", "d": [1, 2]}, "gone": True, "same": 0}
    new: Value = {"a": 1.0, "b": {"c": "new text here", "d": [0, 1, 2]}, "come": "x", "same": 0}
    found = diff(old, new)
    assert found.kind == "json"
    assert found.notes == ("5 changed paths", "lists matched in order")
    assert sides(found.rows) == [
        ("a: 1", "a: 1.0"),
        ("b", "b"),
        ("  c: old text here", "  c: new text here"),
        ("  d", "  d"),
        (None, "    [0]: 0"),
        ("    2 unchanged", "    2 unchanged"),
        (None, 'come: "x"'),
        ("gone: true", None),
        ("1 unchanged", "1 unchanged"),
    ]


def test_lists_of_records_are_matched_by_their_key() -> None:
    old: list[Value] = [{"id": "x", "v": 1}, {"id": "y", "v": 2}]
    found = diff(old, [{"id": "y", "v": 3}, {"id": "x", "v": 1}])
    assert found.notes == ("1 changed path", "lists matched by id")
    assert sides(found.rows)[:2] == [("[id=y]", "[id=y]"), ("  v: 2", "  v: 3")]


def test_text_that_holds_json_is_compared_as_json() -> None:
    assert diff('{"a": 1}', '{"a": 2}').kind == "json"
    assert diff('{"a": 1}', '{"a":  1}').notes == ("the same values, written differently",)
    assert diff("{not json", "{nor this").kind == "text"
    assert diff({"a": 1}, [1]).kind == "text"


NAMES = st.text(max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES, JSON), st.dictionaries(NAMES, JSON))
def test_a_changed_path_is_found_exactly_when_values_differ(old: object, new: object) -> None:
    found = diff_json(old, new)
    same = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert (found.changes == 0) == same


def test_a_missing_side_shows_the_other_whole() -> None:
    assert diff_values(None, tagged("a\nb")).kind == "new"
    assert len(diff_values(None, tagged("a\nb")).rows) == 2
    assert diff_values(tagged("a"), None).kind == "gone"
    assert diff_values(None, None).rows == ()


def test_large_values_are_cut_and_say_so() -> None:
    found = diff("x" * 50_000, "x" * 60_000, limit=1000)
    assert found.notes == (
        "showing first 1,000 of 50,000 characters",
        "showing first 1,000 of 60,000 characters",
        "the texts differ after what is shown",
    )
    many = diff({str(i): i for i in range(900)}, {str(i): -i for i in range(900)})
    assert "showing first 500 of 899 paths" in many.notes
    assert diff("a\n" * 600, "b\n" * 600).notes == ("showing first 400 of 601 lines",)


def test_texts_that_look_alike_are_not_called_equal() -> None:
    assert diff("a\tb", "a   b").notes == (
        "the texts differ only in characters that are drawn alike",
    )


def test_hostile_text_is_inert_in_every_row() -> None:
    found = diff("ok \x1b[31m\u202e", "ok \x9b2J[/b]")
    shown = "".join(text or "" for pair in sides(found.rows) for text in pair)
    assert not set(shown) & {"\x1b", "\x9b", "\u202e"}
    assert "[/b]" in shown


@pytest.mark.parametrize(
    ("value", "text"),
    [("a\nb", "a\nb"), (1.5, "1.5"), ({"b": 1}, '{\n  "b": 1\n}'), (score(0.5), "Score(0.5)")],
)
def test_values_read_as_people_write_them(value: Value, text: str) -> None:
    assert value_text(tagged(value)) == text


def test_very_large_records_are_compared_as_text() -> None:
    large: Value = {str(index): "word " * 20 for index in range(16_000)}
    assert isinstance(large, dict)
    found = diff(large, large | {"0": "other"})
    assert found.kind == "text"
    assert any(note.startswith("showing first") for note in found.notes)
