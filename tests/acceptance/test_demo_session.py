"""A person triages the demo on screen, by keyboard, and CI agrees wherever it looks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Key
from textual.pilot import Pilot
from textual.widget import Widget

from evaltui import demo
from evaltui.clock import Ids, system_clock
from evaltui.engine.child_run import ChildRun
from evaltui.engine.requests import RunRequest
from evaltui.models import CaseSummary, Cause, Outcome
from evaltui.review.live import LiveRun
from evaltui.screens.app import EvaltuiApp
from evaltui.screens.bench import Bench
from evaltui.screens.decide import DecideScreen
from evaltui.screens.run import RunScreen
from evaltui.tui import session_opener

if TYPE_CHECKING:
    from tests.acceptance.conftest import Desk

PATIENCE_S = 60.0
MOST_DECISIONS = 12
REASON = "shown in the demo"
FIRST_EMPTY = ("cause", "value", "reason")
"""The fields that dialogs begin at."""
GROUP = ["en-box-crushed", "en-wrong-item", "fr-boite-ecrasee", "fr-mauvais-article",
         "ja-hako-tsubure"]  # fmt: skip


@dataclass
class Hands:
    """A person at the keyboard of the run screen."""

    pilot: Pilot[None]
    bench: Bench

    @property
    def screen(self) -> RunScreen:
        screen = self.pilot.app.screen_stack[0]
        assert isinstance(screen, RunScreen)
        return screen

    def at(self, index: int) -> CaseSummary:
        assert self.bench.session is not None
        row = self.bench.session.row(index)
        assert row is not None
        return row

    def row(self) -> CaseSummary:
        """The case under the cursor."""
        assert self.screen.case_index is not None
        return self.at(self.screen.case_index)

    def red(self) -> list[str]:
        assert self.bench.session is not None
        return [row.case_id for row in self.bench.session.rows if row.red]

    @property
    def focused(self) -> Widget | None:
        return self.pilot.app.focused

    @property
    def dialog(self) -> DecideScreen | None:
        screen = self.pilot.app.screen
        return screen if isinstance(screen, DecideScreen) else None

    async def until(self, met: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not met():
            assert time.monotonic() < deadline, self.trouble()
            await asyncio.sleep(0.002)

    def trouble(self) -> object:
        """What to look at when something did not come about."""
        dialog = self.dialog
        return self.focused, dialog and dialog.texts, self.row(), self.red()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.pilot.app.post_message(Key(key, " " if key == "space" else None))

    async def press_until_it_moves(self, key: str, what: Callable[[], object]) -> None:
        before = what()
        self.press(key)
        await self.until(lambda: what() != before)

    async def walk_to(self, case_id: str) -> None:
        """Press ``n`` until the cursor is there."""
        for _ in range(len(self.red()) + 1):
            if self.row().case_id == case_id:
                return
            await self.press_until_it_moves("n", lambda: self.screen.case_index)
        raise AssertionError(f"{case_id} is not among the red cases")

    async def mark(self, *case_ids: str) -> None:
        """Walk to every one of these cases and mark it."""
        for case_id in case_ids:
            await self.walk_to(case_id)
            await self.press_until_it_moves("space", lambda: self.screen.case_index)
        assert len(self.bench.desk.view.marks) == len(case_ids)

    async def unmark(self) -> None:
        self.press("escape")
        await self.until(lambda: not self.bench.desk.view.marks)

    async def decide(self, *keys: str, cause: Cause | None = None) -> None:
        """Open the dialog with ``keys``, fill in what is asked for, confirm, wait for the act."""
        cases = self.bench.desk.chosen(self.screen.case_index)
        for key in keys:
            await self.press_until_it_moves(key, lambda: self.pilot.app.screen)
        await self.until(lambda: any(map(self.focus_is_in, FIRST_EMPTY)))
        dialog = self.dialog
        assert dialog is not None
        if cause is not None:
            await self.to_field("cause")
            await self.choose(list(Cause).index(cause) + 1)
        if "reason" in dialog.texts:
            await self.to_field("reason")
            self.press(*("space" if letter == " " else letter for letter in REASON))
            await self.until(lambda: dialog.texts["reason"] == REASON)
        assert dialog.texts.get("cause", cause) == cause
        self.press("ctrl+s")
        await self.until(lambda: len(self.pilot.app.screen_stack) == 1)
        await self.until(lambda: not any(row.red or self.waits(row) for row in map(self.at, cases)))

    @staticmethod
    def waits(row: CaseSummary) -> bool:
        return row.outcome is Outcome.SUSPENDED

    async def choose(self, place: int) -> None:
        """Open the choice under the focus and take an entry of it; the reason is asked for next."""
        await self.press_until_it_moves("enter", lambda: self.focused)
        self.press("home", *["down"] * place, "enter")
        await self.until(lambda: self.focus_is_in("reason"))

    async def to_field(self, name: str) -> None:
        """Press ``tab`` until the focus is in a field."""
        for _ in range(12):
            if self.focus_is_in(name):
                return
            await self.press_until_it_moves("tab", lambda: self.focused)
        raise AssertionError(f"no way to the field {name}")

    def focus_is_in(self, name: str) -> bool:
        """Whether the focus is in a field of the dialog."""
        focused = self.focused
        return focused is not None and any(one.id == f"field-{name}" for one in focused.ancestors)


@asynccontextmanager
async def screen_over(folder: Path) -> AsyncIterator[Hands]:
    """The screen over a run of the demo that goes on in a process of its own."""
    request = RunRequest((demo.SUITE,), str(folder), reviewer="demo", arguments=("run", demo.SUITE))
    child = ChildRun.start(request)
    try:
        live = LiveRun(child, lambda: time.monotonic() * 1000)
        bench = Bench(live=live, open_session=session_opener(request, system_clock({}), Ids()))
        async with EvaltuiApp(bench).run_test(size=(120, 40)) as pilot:
            hands = Hands(pilot, bench)
            await hands.until(lambda: bench.live is not None and bench.live.state == "finished")
            yield hands
    finally:
        child.close()


async def triage(hands: Hands) -> None:
    """From the first red case to none."""
    await hands.until(lambda: hands.row().case_id == "en-late-refund" == hands.red()[0])
    await hands.decide("a", cause=Cause.INTENDED_REQUIREMENT_CHANGE)
    await hands.walk_to("en-odd-label")
    await hands.decide("a", cause=Cause.PROVIDER_OR_MODEL_CHANGE)
    await hands.walk_to("en-opening-hours")
    await hands.decide("x", "n")
    await hands.mark("fr-consigne-neuve", "ja-hikkoshi")
    await hands.decide("A", cause=Cause.INITIAL)
    await hands.unmark()
    await hands.mark(*GROUP)
    await hands.decide("A", cause=Cause.INTENDED_REQUIREMENT_CHANGE)
    await hands.unmark()
    await hands.walk_to("en-double-charge")
    await hands.decide("a", cause=Cause.SEMANTIC_REGRESSION)
    await hands.walk_to("fr-how-emballage")
    await hands.decide("t")
    for case in ("en-customs", "ja-ryoushusho", "en-fax-form"):
        await hands.walk_to(case)
        await hands.decide("x", "w")
    for case in ("fr-client-fache", "en-grand-clock"):
        await hands.walk_to(case)
        await hands.decide("y")


async def test_a_triage_by_keyboard_leaves_nothing_red_and_ci_agrees(
    evaltui_demo: Desk, tmp_path: Path
) -> None:
    known = len(evaltui_demo.decisions())
    async with screen_over(evaltui_demo.folder) as hands:
        await triage(hands)
        assert hands.red() == []
        assert hands.bench.session is not None
        assert hands.bench.session.gate_report().exit_code == 0
    made = evaltui_demo.decisions()[known:]
    assert 0 < len(made) <= MOST_DECISIONS
    assert {one["reviewer"] for one in made} == {"demo"}
    answers = [one for one in made if one["action"] == "approve_escalation"]
    assert [one["scope"] for one in answers] == ["until", "until"]
    waived = {target["case_id"] for one in made if one["action"] == "waive"
              for target in one["targets"]}  # fmt: skip
    assert waived == {"en-customs", "ja-ryoushusho", "en-fax-form"}

    clone = evaltui_demo.copy(tmp_path / "clone" / "evaltui-demo", ".evaltui")
    later = evaltui_demo.after_the_first_expiry()
    for desk in (evaltui_demo, clone):
        now = desk("run", demo.SUITE, "--ci")
        assert (now.code, "0 to look at" in now.out) == (0, True), now
        then = desk.at(later)("run", demo.SUITE, "--ci")
        assert (then.code, "gate          expired" in then.out) == (1, True), then
    assert evaltui_demo("decisions", "verify").code == 0
