"""A small Ulexite project on disk, and runs of it in this process."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaltui.clock import Clock, Ids
from evaltui.commands.headless import Tally
from evaltui.engine.preparing import prepare
from evaltui.engine.requests import RunRequest
from evaltui.engine.run_plan import RunPlan
from evaltui.engine.runner import Runner
from evaltui.models import CallFinished, CallRecord, CaseFinished, CaseResult, Event, Outcome

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUITE = """
type Row = { id: text, text: text }
dataset Rows: list<Row> { from "rows.jsonl" }

judge Kind(reply: text) -> Verdict { rubric: "be kind" }

conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  reply
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  expect reply satisfies judge Kind(reply)
}
"""
POLICY = """
[providers.Desk]
vendor = "scripted"
chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
judge = { model = "reader-1", params = { answers = "answers.jsonl" } }
"""


@dataclass
class Ran:
    """A run that came to its end."""

    plan: RunPlan
    events: list[Event]
    tally: Tally

    @property
    def results(self) -> dict[str, CaseResult]:
        """Results by case id."""
        ended = [event for event in self.events if isinstance(event, CaseFinished)]
        return {event.spec.case_id: event.result for event in ended}

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """Outcomes by case id, cases that did not run included."""
        return {row.case_id: row.outcome for row in self.tally.summaries(self.plan.specs)}

    @property
    def calls(self) -> list[CallRecord]:
        """All calls in the order in which they ended."""
        return [event.call for event in self.events if isinstance(event, CallFinished)]

    @property
    def sent(self) -> list[CallRecord]:
        """The calls that did not come from the cache."""
        return [call for call in self.calls if not call.cache_hit]


@dataclass
class UlxProject:
    """A project folder with one suite ``s.ulx``, its rows, answers and policy."""

    folder: Path
    now: datetime = NOW
    _tokens: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def suite(self) -> Path:
        """The suite file."""
        return self.folder / "s.ulx"

    @property
    def clock(self) -> Clock:
        """A clock that stands still."""
        return Clock(lambda: self.now)

    @property
    def ids(self) -> Ids:
        """Ids that count."""
        return Ids(lambda n: f"{next(self._tokens):0{2 * n}x}")

    def write(self, name: str, text: str) -> Path:
        """Write a file below the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def lines(self, name: str, items: Iterable[object]) -> Path:
        """Write a JSONL file below the folder."""
        return self.write(name, "".join(json.dumps(item) + "\n" for item in items))

    def rows(self, *rows: dict[str, Any]) -> None:
        """Write the dataset."""
        self.lines("rows.jsonl", rows)

    def answers(self, *answers: dict[str, Any]) -> None:
        """Write the canned answers."""
        self.lines("answers.jsonl", answers)

    def request(self, **options: Any) -> RunRequest:  # noqa: ANN401
        """What ``evaltui run`` would ask for."""
        return RunRequest(**({"paths": ("s.ulx",), "folder": str(self.folder)} | options))

    def plan(self, **options: Any) -> RunPlan:  # noqa: ANN401
        """Prepare a run."""
        return prepare(self.request(**options), self.clock, self.ids)

    def run(self, **options: Any) -> Ran:  # noqa: ANN401
        """Run to the end."""
        return self.finish(self.plan(**options))

    def finish(self, plan: RunPlan, watch: Callable[[Runner, Event], None] | None = None) -> Ran:
        """Run a plan to its end; ``watch`` sees every event."""
        events: list[Event] = []
        tally = Tally()

        async def collect() -> None:
            runner = Runner(plan)
            async for event in runner.events():
                events.append(event)
                tally.add(event)
                if watch is not None:
                    watch(runner, event)

        try:
            asyncio.run(collect())
        finally:
            plan.store.close()
        return Ran(plan, events, tally)


@pytest.fixture
def project(tmp_path: Path) -> UlxProject:
    """Two rows that pass: every reply is answered and judged kind."""
    made = UlxProject(tmp_path)
    made.write("s.ulx", SUITE)
    made.write("evaltui.toml", POLICY)
    made.rows({"id": "a", "text": "one"}, {"id": "b", "text": "two"})
    made.answers({"capability": "chat", "text": "thank you"}, {"judge": "Kind", "verdict": "PASS"})
    return made
