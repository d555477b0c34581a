"""What a person sees and does on the run screen, over a real stored run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from evaltui.models import Action
from evaltui.review.session import Session
from evaltui.screens.bench import Bench
from evaltui.screens.decide import DecideScreen
from evaltui.screens.keys import key_problems
from evaltui.text import cells

if TYPE_CHECKING:
    from tests.screens.conftest import Opened

Decisions = Callable[[], list[Path]]


@pytest.fixture
def bench(stored: Session) -> Bench:
    return Bench(session=stored)


def case_of(bench: Bench, case_id: str) -> int:
    assert bench.session is not None
    return bench.session.find_case(case_id)


async def test_it_opens_on_the_first_red_case_with_its_preview(
    bench: Bench, opened: Opened
) -> None:
    async with opened(bench, (100, 40)) as seen:
        assert seen.line("›").split()[1:4] == ["✗", "fail", "drift"]
        assert "8/8" in seen.text()
        assert "✗ 4 fail" in seen.text()
        assert "- It ships on Monday" in seen.text()
        assert "a accept" in seen.text()


async def test_n_walks_the_reds_and_comes_around(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        visited = []
        for _ in range(6):
            await seen.tap("n")
            visited.append(seen.line("›").split()[3])
        assert visited == ["json", "hostile", "broken", "long", "claim", "drift"]
        await seen.tap("N")
        assert "claim" in seen.line("›")


async def test_a_filter_is_typed_kept_and_dropped(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.tap("slash")
        await seen.type("slice:fr !outcome:pass")
        assert bench.desk.view.shown() == [case_of(bench, "hostile")]
        await seen.press("enter")
        assert "1 of 8 shown · /slice:fr !outcome:pass" in seen.text()
        await seen.press("escape")
        assert bench.desk.view.count == 8


async def test_a_wrong_filter_says_what_is_wrong(bench: Bench, opened: Opened) -> None:
    async with opened(bench, (140, 30)) as seen:
        await seen.tap("slash")
        await seen.type("outcome:fial")
        assert "no outcome 'fial'; did you mean fail" in seen.text()
        assert bench.desk.view.count > 0
        await seen.tap("escape")
        await seen.tap("slash")
        await seen.type("zzzz")
        assert "0 of 8 cases match /zzzz" in seen.text()


async def test_f_shows_the_reds_only(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.press("f")
        assert bench.desk.view.count == 6
        assert "6 of 8 shown · red" in seen.text()


async def test_accepting_writes_one_decision_and_turns_the_row(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        known = set(decisions())
        await seen.ask("a")
        assert isinstance(seen.app.screen, DecideScreen)
        assert "1 of 1 can be accepted" in seen.text()
        await seen.tap("ctrl+s")
        assert "choose why the value moved" in seen.text()
        seen.dialog.fill(cause="intended_requirement_change", reason="days changed")
        await seen.confirm()
        (written,) = set(decisions()) - known
        act = json.loads(written.read_text())
        assert (act["action"], act["reason"]) == ("accept_baseline", "days changed")
        assert act["cause"] == "intended_requirement_change"
        assert [target["case_id"] for target in act["targets"]] == ["drift"]
        assert "✓ pass" in seen.line("drift")
        assert "drift accepted" in seen.text()


async def test_escape_in_the_dialog_decides_nothing(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        known = decisions()
        await seen.ask("a")
        await seen.press("escape")
        assert decisions() == known
        assert "✗ fail" in seen.line("drift")


async def test_undo_and_redo_follow_a_decision(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        await seen.ask("a")
        seen.dialog.fill(cause="other", reason="fine")
        await seen.confirm()
        count = len(decisions())
        await seen.press("u")
        assert "✗ fail" in seen.line("drift")
        assert len(decisions()) == count + 1
        await seen.press("ctrl+r")
        assert "✓ pass" in seen.line("drift")


async def test_accepting_all_marked_says_how_many_and_why_not_the_others(
    bench: Bench, opened: Opened
) -> None:
    async with opened(bench, (100, 40)) as seen:
        await seen.tap("ctrl+a")
        assert "8 marked" in seen.text()
        await seen.ask("A")
        text = seen.text()
        assert "of 8 can be accepted" in text
        assert "broken" in text
        seen.dialog.fill(cause="other", reason="all fine")
        await seen.confirm()
        assert "✓ pass" in seen.line("json")
        assert "! error" in seen.line("broken")


async def test_what_cannot_be_done_is_explained(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        seen.run.table.move_to(bench.desk.view.position_of(case_of(bench, "broken")) or 0)
        await seen.ask("a")
        assert "0 of 1 can be accepted" in seen.text() or "cannot be accepted" in seen.text()
        assert "Confirm" not in seen.text()
        await seen.press("escape")


async def test_a_waiver_comes_from_the_resolutions_menu(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        seen.run.table.move_to(bench.desk.view.position_of(case_of(bench, "broken")) or 0)
        await seen.press("x")
        assert "resolve 1 case" in seen.text()
        await seen.ask("w")
        assert isinstance(seen.app.screen, DecideScreen)
        assert seen.dialog.plan.action is Action.WAIVE
        seen.dialog.fill(reason="known outage")
        await seen.confirm()
        assert "! error waived" in seen.line("broken") or "waived" in seen.line("broken")
        assert bench.session is not None
        row = bench.session.row(case_of(bench, "broken"))
        assert row is not None and not row.red


async def test_an_escalation_is_approved_or_denied_until_a_day(
    bench: Bench, opened: Opened, decisions: Decisions
) -> None:
    async with opened(bench) as seen:
        known = set(decisions())
        seen.run.table.move_to(bench.desk.view.position_of(case_of(bench, "claim")) or 0)
        await seen.ask("y")
        seen.dialog.fill(value="paid", reason="small sum")
        await seen.confirm()
        (written,) = set(decisions()) - known
        act = json.loads(written.read_text())
        assert act["action"] == "approve_escalation"
        assert act["scope"] == "until"


async def test_marks_and_ranges(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.tap("g", "space")
        assert bench.desk.view.marks == {0}
        await seen.tap("v", "j", "j", "v")
        assert bench.desk.view.marks == {0, 1, 2, 3}
        await seen.tap("escape")
        assert bench.desk.view.marks == set()


async def test_hostile_text_is_inert_everywhere(bench: Bench, opened: Opened) -> None:
    async with opened(bench, (120, 40)) as seen:
        seen.run.table.move_to(bench.desk.view.position_of(case_of(bench, "hostile")) or 0)
        await seen.press("enter")
        for keys in ((), ("escape",), ("T",), ("escape",)):
            await seen.press(*keys)
            text = seen.text()
            assert not {"\x1b", "\x9b", "\u202e", "\x00"} & set(text)
            assert "[/b] x" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (20, 5), (40, 12)])
async def test_every_line_fills_the_screen_exactly(
    bench: Bench, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(bench, size) as seen:
        assert {cells(line) for line in seen.text().splitlines()} == {size[0]}
        assert "›" in seen.text()


async def test_a_tiny_terminal_and_back_loses_nothing(bench: Bench, opened: Opened) -> None:
    async with opened(bench, (120, 40)) as seen:
        await seen.tap("n", "n")
        before = seen.run.case_index
        await seen.pilot.resize_terminal(20, 5)
        await seen.settle()
        assert "›" in seen.text()
        await seen.pilot.resize_terminal(120, 40)
        await seen.settle()
        assert seen.run.case_index == before
        assert "hostile" in seen.line("›")
        assert seen.run.preview.display


async def test_the_help_page_lists_the_keys_of_the_design(bench: Bench, opened: Opened) -> None:
    from evaltui.screens.commands import COMMANDS
    from evaltui.screens.help import help_page

    async with opened(bench) as seen:
        await seen.press("question_mark")
        assert "The next case that needs a person" in seen.text()
        await seen.press("escape")
        assert "›" in seen.text()
    text = help_page(COMMANDS, 80).text
    for command in COMMANDS:
        assert command.tooltip.split()[0] in text
    keys = {key for command in COMMANDS for key in command.key_texts}
    wanted = "j k g G n N / f space v ^a enter ] [ a A t y d x r e c u ^r T R D ? F1 ^p q esc"
    assert set(wanted.split()) <= keys


async def test_the_policy_gives_commands_other_keys(stored: Session, opened: Opened) -> None:
    stored.policy = replace(stored.policy, keys={"move.next_red": "z"})
    async with opened(Bench(session=stored)) as seen:
        await seen.tap("z")
        assert "json" in seen.line("›")
        assert "z next red" in seen.text()
        await seen.press("question_mark")
        assert "z " in seen.line("The next case that needs a person")


def test_keys_that_clash_or_name_nothing_are_reported() -> None:
    assert key_problems({}) == []
    assert key_problems({"move.next_red": "z", "decide.aprove": "q"}) == [
        "[keys] names no command: decide.aprove; did you mean decide.approve?"
    ]
    assert key_problems({"decide.accept": "n"}) == [
        "[keys] n is both move.next_red and decide.accept"
    ]


async def test_runs_and_decisions_can_be_looked_at(bench: Bench, opened: Opened) -> None:
    async with opened(bench, (120, 30)) as seen:
        await seen.press("D")
        assert "1 decision" in seen.text()
        assert "accept baseline · ana · 2026-03-01" in seen.text()
        await seen.press("escape")
        await seen.press("R")
        assert "2 runs" in seen.text()
        await seen.press("j", "enter")
        assert "r1" in seen.text().splitlines()[0]
        await seen.press("escape")
        await seen.press("escape")
        assert "r2" in seen.text().splitlines()[0]


async def test_the_palette_offers_what_applies_and_does_it(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.tap("ctrl+p")
        await seen.type("resolve")
        await seen.until(lambda: "decide: resolve (x)" in seen.text())
        await seen.tap("enter")
        await seen.until(lambda: "resolve 1 case" in seen.text())


async def test_q_leaves(bench: Bench, opened: Opened) -> None:
    async with opened(bench) as seen:
        await seen.tap("q")
        assert seen.app._exit


async def test_a_worker_that_fails_says_so(
    bench: Bench, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Session, index: int) -> None:
        raise RuntimeError("[/b] lost")

    async with opened(bench) as seen:
        monkeypatch.setattr(Session, "detail", broken)
        await seen.tap("n")
        seen.run.preview.load()
        await seen.until(lambda: "internal error" in seen.text() and "[/b]" in seen.text())
