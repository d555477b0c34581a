"""The order of rows while they arrive, change, are sorted, filtered and marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaltui.models import CaseSummary, Outcome
from evaltui.review.view import QUICK_FILTERS, SORT_KEYS, RowView

OUTCOMES = st.sampled_from(list(Outcome))
ROWS = st.builds(
    lambda index, outcome, latency, change: CaseSummary(
        index, 0, f"c{index}", outcome, latency_ms=latency, change=change
    ),
    st.integers(0, 60),
    OUTCOMES,
    st.integers(0, 5).map(float),
    st.sampled_from(["", "new", "+0.03", "-0.5", "91% alike", "7% alike"]),
)
BATCHES = st.lists(st.lists(ROWS, max_size=45), max_size=6)


def rows(count: int) -> list[CaseSummary]:
    return [CaseSummary(i, 0, f"case-{i}", list(Outcome)[i % 6]) for i in range(count)]


@given(BATCHES, st.sampled_from([None, *SORT_KEYS]), st.booleans(), st.booleans())
def test_arrivals_end_in_the_order_that_sorting_everything_gives(
    batches: list[list[CaseSummary]], column: str | None, descending: bool, filtered: bool
) -> None:
    view = RowView()
    view.sort_by(column, descending)
    test = (lambda row: row.outcome != Outcome.PASS) if filtered else None
    view.filter_by(test)
    latest: dict[int, CaseSummary] = {}
    for batch in batches:
        view.put(batch)
        latest |= {row.index: row for row in batch}
    known = [latest[index] for index in sorted(latest) if test is None or test(latest[index])]
    expected = sorted(known, key=SORT_KEYS[column]) if column else known
    if descending:
        expected.reverse()
    assert [view.at(place) for place in range(view.count)] == expected
    assert [view.position_of(row.index) for row in expected] == list(range(len(expected)))
    assert view.shown() == [row.index for row in expected]
    assert view.total == len(latest)


def test_a_hidden_or_unknown_case_has_no_position() -> None:
    view = RowView(rows(12))
    view.filter_by(lambda row: row.outcome == Outcome.FAIL)
    assert view.position_of(0) is None
    assert view.position_of(99) is None
    assert view.position_of(-1) is None
    assert view.row(0) is not None


def test_the_next_match_wraps_around() -> None:
    view = RowView(rows(12))

    def failed(row: CaseSummary) -> bool:
        return row.outcome == Outcome.FAIL

    assert view.next_where(failed, 1, 1) == 7
    assert view.next_where(failed, 7, 1) == 1
    assert view.next_where(failed, 1, -1) == 7
    assert view.next_where(lambda row: False, 1, 1) is None
    assert RowView().next_where(failed, 0, 1) is None


def test_marks_stay_on_cases_whatever_is_shown() -> None:
    view = RowView(rows(12))
    view.toggle_mark(3)
    view.mark_range(8, 6)
    assert view.marks == {3, 6, 7, 8}
    view.filter_by(lambda row: row.index < 2)
    view.toggle_all_shown()
    assert view.marks == {0, 1, 3, 6, 7, 8}
    view.toggle_all_shown()
    assert view.marks == {3, 6, 7, 8}


def test_a_failing_case_is_undecided_though_its_old_value_was_accepted() -> None:
    test = QUICK_FILTERS["undecided"]
    assert test is not None
    accepted = "ana, 90d"
    assert test(CaseSummary(0, 0, "a", Outcome.FAIL, red=True, undecided=True, decision=accepted))
    assert not test(CaseSummary(0, 0, "a", Outcome.FAIL, red=True, decision="retry ana"))
    assert not test(CaseSummary(0, 0, "a", Outcome.FAIL, decision="waived ana"))


def test_numbers_as_case_ids_sort_as_numbers() -> None:
    names = ("10", "9", "1")
    view = RowView([CaseSummary(i, 0, name, Outcome.PASS) for i, name in enumerate(names)])
    view.sort_by("case")
    assert [view.at(place).case_id for place in range(3)] == ["1", "9", "10"]
