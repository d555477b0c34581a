"""Chains of decisions: parents decide, never clocks, and merging two branches commutes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaltui.models import Action, Decision, Target
from evaltui.review.chain_index import Chains
from evaltui.review.chains import ChainState
from evaltui.review.decision_files import sign
from evaltui.review.links import Family
from evaltui.review.log import DecisionLog

TODAY = date(2026, 3, 1)
ABOUT = Target("a.ulx", "Replies", "one", "snapshot:k")


@dataclass
class Branch:
    """Decisions made one after another; clocks are set at random to show that none counts."""

    made: list[Decision] = field(default_factory=list)
    clock: random.Random = field(default_factory=lambda: random.Random(1))

    def fork(self) -> Branch:
        return Branch(list(self.made), self.clock)

    @property
    def last(self) -> str | None:
        return self.made[-1].id if self.made else None

    def add(self, action: Action, expires: str | None = "2026-06-01", **target: str | None) -> str:
        about = replace(ABOUT, **{"parent": self.last, **target})
        stamp = f"20{self.clock.randrange(10, 99)}-01-01T00:00:00.{self.clock.randrange(10**6)}Z"
        bare = Decision("", action, "ana", stamp, (about,), expires_at=expires)
        self.made.append(sign(bare))
        return self.made[-1].id

    def accept(self, value: int, expires: str = "2026-06-01") -> str:
        return self.add(Action.ACCEPT_BASELINE, expires, new_digest=f"{value:064x}")

    def renew(self, expires: str) -> str:
        return self.add(Action.RENEW, expires, decision=self.last)

    def revert(self, decision: str | None = None) -> str:
        return self.add(Action.REVERT, None, decision=decision or self.last)


def state_of(decisions: Sequence[Decision]) -> ChainState:
    by_id = {one.id: one for one in decisions}
    log = DecisionLog(Path(), by_id, {})
    return Chains(log, TODAY).state(ABOUT, Family.VALUE)


def value_of(state: ChainState) -> int | None:
    return int(state.held.target.new_digest or "", 16) if state.held else None


def test_the_last_acceptance_holds_whatever_its_clock_says() -> None:
    branch = Branch()
    for value in range(20):
        branch.accept(value)
    assert value_of(state_of(branch.made)) == 19


def test_a_renewal_moves_the_expiry_and_keeps_the_value() -> None:
    branch = Branch()
    branch.accept(7, "2026-02-01")
    assert state_of(branch.made).expired
    branch.renew("2026-05-01")
    state = state_of(branch.made)
    assert (value_of(state), state.expired) == (7, False)
    assert state.held is not None and state.held.expires == date(2026, 5, 1)


def test_reverting_goes_back_and_reverting_the_revert_brings_back() -> None:
    branch = Branch()
    branch.accept(1)
    second = branch.accept(2)
    undo = branch.revert(second)
    assert value_of(state_of(branch.made)) == 1
    redo = branch.revert(undo)
    assert value_of(state_of(branch.made)) == 2
    branch.revert(redo)
    assert value_of(state_of(branch.made)) == 1


def test_reverting_the_only_acceptance_leaves_nothing() -> None:
    branch = Branch()
    branch.accept(1)
    branch.revert()
    state = state_of(branch.made)
    assert (state.held, state.conflict) == (None, False)
    assert state.ends == (branch.last,)


def test_two_branches_that_decided_differently_conflict() -> None:
    trunk = Branch()
    trunk.accept(1)
    left, right = trunk.fork(), trunk.fork()
    left.accept(2)
    right.accept(3)
    state = state_of(left.made + right.made)
    assert state.conflict
    assert set(state.ends) == {left.last, right.last}


def test_a_branch_that_undid_its_own_work_does_not_conflict() -> None:
    trunk = Branch()
    trunk.accept(1)
    left, right = trunk.fork(), trunk.fork()
    left.accept(2)
    left.revert()
    right.accept(3)
    state = state_of(left.made + right.made)
    assert (value_of(state), state.conflict) == (3, False)


def test_undoing_against_building_on_conflicts() -> None:
    trunk = Branch()
    trunk.accept(1)
    trunk.accept(2)
    left, right = trunk.fork(), trunk.fork()
    left.revert()
    right.accept(3)
    assert state_of(left.made + right.made).conflict


def test_both_branches_undoing_the_same_agree() -> None:
    trunk = Branch()
    trunk.accept(1)
    trunk.accept(2)
    left, right = trunk.fork(), trunk.fork()
    left.revert()
    right.revert()
    state = state_of(left.made + right.made)
    assert (value_of(state), state.conflict) == (1, False)


def test_a_decision_that_follows_both_ends_closes_a_conflict() -> None:
    left, right = Branch(), Branch()
    left.accept(1)
    right.accept(2)
    picked = replace(ABOUT, new_digest=f"{2:064x}", parent=right.last)
    closed = replace(ABOUT, parent=left.last, decision=left.last)
    act = sign(
        Decision("", Action.ACCEPT_BASELINE, "ana", "2026-01-01T00:00:00Z", (picked, closed))
    )
    state = state_of([*left.made, *right.made, act])
    assert (value_of(state), state.conflict, state.ends) == (2, False, (act.id,))


def test_circles_are_reported_and_ignored() -> None:
    first = replace(ABOUT, new_digest=f"{1:064x}", parent="b" * 64)
    second = replace(ABOUT, new_digest=f"{2:064x}", parent="a" * 64)
    stamp = "2026-01-01T00:00:00Z"
    made = {
        "a" * 64: Decision("a" * 64, Action.ACCEPT_BASELINE, "ana", stamp, (first,)),
        "b" * 64: Decision("b" * 64, Action.ACCEPT_BASELINE, "ana", stamp, (second,)),
    }
    chains = Chains(DecisionLog(Path(), made, {}), TODAY)
    assert chains.state(ABOUT, Family.VALUE).held is None
    assert "circle" in chains.problems[0]


def test_a_relinked_case_inherits_history_and_can_be_unlinked() -> None:
    branch = Branch()
    branch.accept(1)
    about = replace(ABOUT, check=None, value="two")
    link = sign(Decision("", Action.RELINK, "ana", "2026-01-01T00:00:00Z", (about,)))
    log = {one.id: one for one in (*branch.made, link)}
    moved = replace(ABOUT, case_id="two")
    chains = Chains(DecisionLog(Path(), log, {}), TODAY)
    assert value_of(chains.state(moved, Family.VALUE)) == 1
    assert set(chains.section("a.ulx", "Replies").cases) == {"two"}
    named = Target("", "", None, decision=link.id)
    undo = sign(Decision("", Action.REVERT, "ana", "2026-01-02T00:00:00Z", (named,)))
    chains = Chains(DecisionLog(Path(), {**log, undo.id: undo}, {}), TODAY)
    assert value_of(chains.state(moved, Family.VALUE)) is None


def test_notes_never_conflict_and_are_taken_back_one_by_one() -> None:
    made = [
        sign(
            Decision(
                "",
                Action.ANNOTATE,
                "ana",
                f"2026-01-0{day}T00:00:00Z",
                (replace(ABOUT, note=f"n{day}"), replace(ABOUT, case_id="two", note="x")),
            )
        )
        for day in (1, 2)
    ]
    about = replace(ABOUT, decision=made[0].id)
    made.append(sign(Decision("", Action.REVERT, "ana", "2026-01-03T00:00:00Z", (about,))))
    chains = Chains(DecisionLog(Path(), {one.id: one for one in made}, {}), TODAY)
    cases = chains.section("a.ulx", "Replies").cases
    assert [held.target.note for held in cases["one"].notes] == ["n2"]
    assert len(cases["two"].notes) == 2


MOVES = st.lists(st.sampled_from(["accept", "renew", "revert"]), max_size=6)


def play(branch: Branch, moves: list[str], start: int) -> Branch:
    for number, move in enumerate(moves):
        if move == "accept" or branch.last is None:
            branch.accept(start + number)
        elif move == "renew":
            branch.renew(f"2026-0{4 + number}-01")
        else:
            branch.revert()
    return branch


@given(MOVES, MOVES, MOVES, st.randoms(use_true_random=False))
def test_merging_commutes_and_file_order_never_matters(
    trunk: list[str], left: list[str], right: list[str], order: random.Random
) -> None:
    base = play(Branch(), trunk, 0)
    one, two = play(base.fork(), left, 100), play(base.fork(), right, 200)
    merged = state_of(one.made + two.made)
    assert state_of(two.made + one.made) == merged
    shuffled = one.made + two.made
    order.shuffle(shuffled)
    assert state_of(shuffled) == merged
    if not left:
        assert merged.held == state_of(two.made).held
        assert not merged.conflict


@given(MOVES, MOVES, MOVES)
def test_a_merge_without_conflict_holds_what_one_side_held(
    trunk: list[str], left: list[str], right: list[str]
) -> None:
    base = play(Branch(), trunk, 0)
    one, two = play(base.fork(), left, 100), play(base.fork(), right, 200)
    merged = state_of(one.made + two.made)
    if not merged.conflict:
        assert merged.held in (state_of(one.made).held, state_of(two.made).held)
