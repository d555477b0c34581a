"""Rows, and a small project that was run and accepted, changed and run again."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.location import PyTestLocation
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input
from textual.worker import Worker, WorkerCancelled

from evaltui.models import Action, CaseSummary, Cause, Outcome
from evaltui.project import load_policy
from evaltui.review.acts import DecisionForm
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import Session
from evaltui.screens.app import EvaltuiApp
from evaltui.screens.bench import Bench
from evaltui.screens.decide import DecideScreen
from evaltui.screens.run import RunScreen
from evaltui.store.store import Store, open_store

if TYPE_CHECKING:
    from tests.conftest import UlxProject

ROOT = Path(__file__).resolve().parents[2]


def _dirname(cls: type[SVGImageExtension], *, test_location: PyTestLocation) -> str:
    """Pictures live in the top-level ``snapshots``, in a tree like that of the tests."""
    test = Path(test_location.filepath)
    return str(ROOT / "snapshots" / test.relative_to(ROOT / "tests").with_suffix(""))


SVGImageExtension.dirname = classmethod(_dirname)

PATIENCE_S = 60.0
HOPS = 4
"""Rounds of messages from a key to what it changes on screen."""
RowMaker = Callable[..., CaseSummary]

SUITE = """
type Row = { id: text, lang: text, text: text }
dataset Rows: list<Row> { from "rows.jsonl" }
dataset Complaints: list<Row> { from "claims.jsonl" }



conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  reply
}

conversation Claim(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> advice
  escalate(manager, advice: advice, reason: "a person decides")
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  assert reply.length < 90
  snapshot reply as $.id
}

benchmark Claims {
  dataset: Complaints
  run: Claim($.text) -> decision
  assert decision != "denied"
}
"""
POLICY = """
[project]
case_id = "id"

[slices]
lang = "lang"

[providers.Desk]
vendor = "scripted"
chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
"""
ROWS = [
    ("drift", "en", "It ships on Monday and takes three days."),
    ("json", "en", '{"team": "returns", "tags": ["a", "b"]}'),
    ("same", "fr", "Merci beaucoup."),
    ("hostile", "fr", "ok"),
    ("wide", "ja", "壊れています"),
    ("broken", "en", "fine"),
]
NOW = {
    "drift": "It ships on Friday and takes five days.",
    "json": '{"team": "refunds", "tags": ["b"]}',
    "hostile": "\x1b[31mred\x1b[0m [/b] x \u202eevil\u009b2J\x00",
}


@pytest.fixture
def make_row() -> RowMaker:
    """``make_row(index, **fields)`` answers a passing row named ``case-<index>``."""

    def make(index: int, **fields: object) -> CaseSummary:
        values: dict[str, Any] = {
            "section": 0,
            "case_id": f"case-{index:06}",
            "outcome": Outcome.PASS,
            "slices": ("lang=fr",),
            "latency_ms": 12.0,
            "cost": Decimal("0.001"),
        }
        return CaseSummary(index, **(values | fields))

    return make


def _answers(project: UlxProject, texts: dict[str, str], broken: bool) -> None:
    replies: list[dict[str, Any]] = [
        {"case": name, "capability": "chat", "text": text} for name, text in texts.items()
    ]
    replies.append({"case": "claim", "capability": "chat", "text": "pay"})
    if broken:
        replies = [one for one in replies if one["case"] != "broken"]
        replies.append({"case": "broken", "capability": "chat", "timeout": True})
    replies.append({"case": "long", "capability": "chat", "text": "far too long " * 9})
    project.answers(*replies)


def _open(project: UlxProject, store: Store, run: str | None = None) -> Session:
    return Session.open(
        store,
        store.run(run).id,
        load_policy(project.folder),
        project.clock,
        project.ids,
        reviewer=Reviewer("ana"),
    )


@pytest.fixture
def stored(project: UlxProject, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """The second run: drift, JSON drift, a pass, hostile text, a timeout, a fail, an escalation."""
    monkeypatch.delenv("CI", raising=False)
    project.write("s.ulx", SUITE)
    project.write("evaltui.toml", POLICY)
    rows = [{"id": name, "lang": lang, "text": f"Question {name}?"} for name, lang, _ in ROWS]
    project.rows(*rows)
    project.lines("claims.jsonl", [{"id": "claim", "lang": "en", "text": "Claim?"}])
    before = {name: text for name, _, text in ROWS}
    _answers(project, before, broken=False)
    project.run()
    path = project.folder / ".evaltui" / "trace.db"
    with open_store(path, project.clock) as store:
        first = _open(project, store)
        plan = first.plan(Action.ACCEPT_BASELINE, [row.index for row in first.rows])
        form = DecisionForm(Reviewer("ana"), "the first answers", Cause.INITIAL, "90d")
        first.commit(plan, form)
    project.rows(*rows, {"id": "long", "lang": "en", "text": "Question long?"})
    _answers(project, before | NOW, broken=True)
    project.run(no_cache=True)
    with open_store(path, project.clock) as store:
        yield _open(project, store)


@dataclass
class Seen:
    """An app under a pilot, and what its screens show."""

    app: EvaltuiApp
    pilot: Pilot[None]

    @property
    def run(self) -> RunScreen:
        """The run screen at the bottom."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, RunScreen)
        return screen

    @property
    def dialog(self) -> DecideScreen:
        """The dialog on top."""
        assert isinstance(self.app.screen, DecideScreen)
        return self.app.screen

    async def settle(self) -> None:
        """Load the preview now rather than when the cursor was still, and wait for workers."""
        await self.handled()
        while self.run.preview.waiting is not None or self._busy():
            if self.run.preview.waiting is not None:
                self.run.preview.load()
            for one in self._busy():
                # A preview that a newer one took the place of ends as cancelled.
                with suppress(WorkerCancelled):
                    await one.wait()
            await self.handled()

    def _busy(self) -> list[Worker[Any]]:
        """Workers at work; one that waits for a person in a dialog is not."""
        asking = isinstance(self.app.screen, ModalScreen)
        return [
            one
            for one in self.app.workers
            if not one.is_finished and not (asking and one.group == "decide")
        ]

    async def handled(self) -> None:
        """Wait until every widget has handled its messages, and those that they led to."""
        for _ in range(HOPS):
            if self.app._exit:
                return
            await self.pilot._wait_for_screen()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys and wait for what follows."""
        await self.tap(*keys)
        await self.settle()

    async def tap(self, *keys: str) -> None:
        """Press keys and let them be handled."""
        for key in keys:
            self.app.simulate_key(key)
            await self.handled()

    async def ask(self, *keys: str) -> None:
        """Press keys and wait for the dialog that they open."""
        await self.tap(*keys)
        await self.until(lambda: isinstance(self.app.screen, DecideScreen))
        await self.until(lambda: self.app.screen.focused is not None)

    async def confirm(self) -> None:
        """Confirm the dialog and wait until what it decided is shown."""
        dialog = self.dialog
        await self.tap("ctrl+s")
        await self.until(lambda: dialog not in self.app.screen_stack)
        await self.settle()

    async def until(self, met: Callable[[], object]) -> None:
        """Wait for what comes in its own time; fails after a while, or when the app has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while not met():
            assert time.monotonic() < deadline and not self.app._exit, self.text()
            await self.pilot.pause(0.02)

    async def type(self, text: str) -> None:
        """Type into the field that has the focus."""
        field = self.app.focused
        assert isinstance(field, Input)
        field.insert_text_at_cursor(text)
        await self.handled()

    def text(self) -> str:
        """What is on screen, line by line."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in lines)

    def line(self, part: str) -> str:
        """The first line that holds ``part``."""
        return next((line for line in self.text().splitlines() if part in line), "")


class Opened(Protocol):
    def __call__(
        self, bench: Bench, size: tuple[int, int] = (100, 30)
    ) -> AbstractAsyncContextManager[Seen]: ...


@asynccontextmanager
async def seen(bench: Bench, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Seen]:
    """The app over a bench, settled."""
    app = EvaltuiApp(bench)
    async with app.run_test(size=size, notifications=True) as pilot:
        shown = Seen(app, pilot)
        await shown.settle()
        yield shown


@pytest.fixture
def opened() -> Opened:
    """``async with opened(bench, size)`` shows the app."""
    return seen


@pytest.fixture
def decisions(project: UlxProject) -> Callable[[], list[Path]]:
    """The decision files of the project."""
    return lambda: sorted((project.folder / "decisions").glob("*.json"))
