"""Pictures of the screens, compared with ``snapshots``; update with --snapshot-update."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from evaltui.review.session import Session
from evaltui.screens.app import EvaltuiApp
from evaltui.screens.bench import Bench

SIZES = [(80, 24), (120, 40)]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def app(stored: Session) -> EvaltuiApp:
    """The app over the stored run, with times that do not depend on the machine."""
    stored.receive([replace(row, latency_ms=100.0 * (row.index + 1)) for row in stored.rows])
    return EvaltuiApp(Bench(session=stored))


def after(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press keys, and let previews and workers come to rest."""

    async def run(pilot: Pilot[None]) -> None:
        await rest(pilot)
        for key in keys:
            await pilot.press(key)
            await rest(pilot)

    async def rest(pilot: Pilot[None]) -> None:
        await pilot.pause()
        screen = pilot.app.screen_stack[0]
        screen.preview.load()  # type: ignore[attr-defined]
        for one in [one for one in pilot.app.workers if one.group != "decide"]:
            with suppress(WorkerCancelled):
                await one.wait()
        await pilot.pause()

    return run


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_run_screen(snap_compare: Compare, app: EvaltuiApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=after())


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_pair(snap_compare: Compare, app: EvaltuiApp, size: tuple[int, int]) -> None:
    keys = ("enter", "right_square_bracket")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


def test_structural_pair(snap_compare: Compare, app: EvaltuiApp) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=after("n", "enter"))


def test_hostile_pair(snap_compare: Compare, app: EvaltuiApp) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("n", "n", "enter"))


def test_dialog(snap_compare: Compare, app: EvaltuiApp) -> None:
    keys = ("ctrl+a", "A", "ctrl+s")
    assert snap_compare(app, terminal_size=(80, 24), run_before=after(*keys))


def test_help(snap_compare: Compare, app: EvaltuiApp) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("question_mark"))


def test_light_theme(snap_compare: Compare, app: EvaltuiApp) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=after("ctrl+t"))
