"""Which cases are shown, marked and chosen."""

from __future__ import annotations

import pytest

from evaltui.errors import UsageError
from evaltui.models import CaseSummary, FailureClass, Outcome
from evaltui.review.desk import Desk


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.view.put(
        [
            CaseSummary(0, 0, "a", Outcome.PASS),
            CaseSummary(1, 0, "b", Outcome.FAIL, red=True, undecided=True),
            CaseSummary(
                2,
                0,
                "c",
                Outcome.ERROR,
                red=True,
                undecided=True,
                failure_class=FailureClass.INFRASTRUCTURE,
            ),
            CaseSummary(3, 0, "d", Outcome.REVIEW, red=True, decision="retry asked by ana"),
            CaseSummary(4, 0, "e", Outcome.FAIL, decision="waived by ana", waived=True),
        ]
    )
    return made


def test_f_goes_through_all_red_infrastructure_and_undecided(desk: Desk) -> None:
    shown = []
    for _ in range(4):
        desk.cycle_quick()
        shown.append((desk.quick, desk.view.shown()))
    assert shown == [
        ("red", [1, 2, 3]),
        ("infrastructure", [2]),
        ("undecided", [1, 2]),
        ("all", [0, 1, 2, 3, 4]),
    ]


def test_a_typed_filter_and_f_hold_together(desk: Desk) -> None:
    desk.set_filter("outcome:fail")
    desk.cycle_quick()
    assert desk.view.shown() == [1]
    assert desk.status() == "1 of 5 shown · red · /outcome:fail"
    desk.show_all()
    assert desk.view.count == 5


def test_a_wrong_filter_leaves_what_is_shown(desk: Desk) -> None:
    desk.set_filter("outcome:fail")
    with pytest.raises(UsageError):
        desk.set_filter("outcome:fial")
    assert desk.view.shown() == [1, 4]


def test_a_filter_that_matches_nothing_says_so(desk: Desk) -> None:
    desk.set_filter("zzz")
    assert desk.nothing_shown() == "0 of 5 cases match /zzz. Press esc to show all."
    assert Desk().nothing_shown() == "No case has finished yet."


def test_n_walks_the_reds_and_the_matches_of_a_search(desk: Desk) -> None:
    assert [desk.next_position(place, 1) for place in (0, 1, 3)] == [1, 2, 1]
    assert desk.next_position(1, -1) == 3
    desk.set_filter("e")
    assert desk.view.count > 1
    assert desk.next_position(0, 1) == 1


def test_acts_are_about_marks_then_the_cursor_or_all_shown(desk: Desk) -> None:
    assert desk.chosen(3) == [3]
    assert desk.chosen(None) == []
    desk.set_filter("outcome:fail")
    assert desk.chosen_widely() == [1, 4]
    desk.view.toggle_mark(2)
    assert desk.chosen(3) == desk.chosen_widely() == [2]


def test_marks_end_with_the_act_they_were_made_for(desk: Desk) -> None:
    for index in (1, 2, 3):
        desk.view.toggle_mark(index)
    desk.set_filter("outcome:fail")
    assert "3 marked, 2 of them hidden: A, x and r are about them" in desk.status()
    desk.decided([1, 2])
    assert desk.chosen(4) == [3]
    desk.decided([3])
    assert desk.chosen(4) == [4]


def test_v_marks_from_one_case_to_another(desk: Desk) -> None:
    desk.toggle_range(3)
    assert "choosing a range" in desk.status()
    desk.toggle_range(1)
    assert desk.view.marks == {1, 2, 3}
    assert desk.range_from is None


def test_ordering_by_a_column_turns_around_then_ends(desk: Desk) -> None:
    desk.order_by("outcome")
    assert desk.view.shown() == [1, 4, 2, 3, 0]
    desk.order_by("outcome")
    assert desk.view.shown() == [0, 3, 2, 4, 1]
    desk.order_by("outcome")
    assert desk.view.sort_column is None
    desk.reverse()
    assert desk.status() == "5 cases · by case order, reversed"
