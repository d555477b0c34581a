"""A run that is going on elsewhere: what its messages add up to, for whoever draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from evaltui.models import CaseSummary, RunInfo
from evaltui.review.run_header import Progress

if TYPE_CHECKING:
    from evaltui.engine.pipe import Batch, Finished, Message, Started


class Feed(Protocol):
    """The near end of a runner; ``evaltui.engine.child_run.ChildRun`` is one."""

    @property
    def last_words(self) -> str: ...

    def drain(self) -> Sequence[Message]: ...

    def poll(self) -> int | None: ...

    def rerun(self, indices: Sequence[int]) -> None: ...

    def stop(self) -> None: ...


class Linked(Struct, frozen=True):
    """A run that repeats cases of this one; the first verdicts stay as they are."""

    run: RunInfo
    rows: tuple[CaseSummary, ...]

    @property
    def sentence(self) -> str:
        """What to tell when it has ended."""
        counts: dict[str, int] = {}
        for row in self.rows:
            counts[row.outcome] = counts.get(row.outcome, 0) + 1
        cases = "1 case" if len(self.rows) == 1 else f"{len(self.rows)} cases"
        came = ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "no answer"
        return f"{self.run.label} ran {cases} again: {came}"


class LiveRun:
    """Reads the messages of a runner; ``step`` is called by one timer."""

    def __init__(self, feed: Feed, monotonic_ms: Callable[[], float]) -> None:
        self._feed = feed
        self._now = monotonic_ms
        self._began = monotonic_ms()
        self._linked: dict[str, Linked] = {}
        self._stopping = False
        self.run: RunInfo | None = None
        self.total = 0
        self.done = 0
        self.in_flight = 0
        self.state = "starting"
        self.problem = ""
        """Why the run could not start or go on, in one line."""
        self.exit_code: int | None = None
        """The exit code that ``problem`` stands for."""
        self.incomplete: str | None = None
        self.ended: list[Linked] = []
        """Linked runs that ended and have not been told of yet."""
        self._elapsed = 0.0

    @property
    def idle(self) -> bool:
        """Whether the runner would take cases to run again."""
        return self.state in ("finished", "interrupted")

    def progress(self) -> Progress:
        """How far the run is."""
        if self.state in ("starting", "running", "stopping"):
            self._elapsed = self._now() - self._began
        state = "stopping" if self._stopping and self.state == "running" else self.state
        return Progress(self.done, self.total, state, self._elapsed, self.in_flight)

    def step(self) -> list[CaseSummary]:
        """Take what arrived; answers the new rows of this run."""
        from evaltui.engine.pipe import Batch, Failed, Finished, Started

        gone = self._feed.poll() is not None
        rows: list[CaseSummary] = []
        for message in self._feed.drain():
            if isinstance(message, Batch):
                rows.extend(self._batch(message))
            elif isinstance(message, Started):
                self._started(message)
            elif isinstance(message, Finished):
                self._finished(message)
            elif isinstance(message, Failed):
                self.state, self.problem = "died", message.message
                self.exit_code = message.exit_code
        if gone and self.state != "died":
            self._died()
        return rows

    def rerun(self, indices: Sequence[int]) -> None:
        """Ask for cases to be run again."""
        self._feed.rerun(indices)

    def stop(self) -> None:
        """Ask that no more cases are started."""
        self._stopping = True
        self._feed.stop()

    def _started(self, message: Started) -> None:
        if self.run is None:
            self.run, self.total, self.state = message.run, message.total, "running"
        elif message.run.id == self.run.id:
            self.state = "running"
        else:
            self._linked[message.run.id] = Linked(message.run, ())

    def _batch(self, message: Batch) -> Sequence[CaseSummary]:
        if self.run is not None and message.run_id == self.run.id:
            self.in_flight = message.in_flight
            return message.rows
        known = self._linked.get(message.run_id)
        if known is not None:
            joined = replace(known, rows=(*known.rows, *message.rows))
            self._linked[message.run_id] = joined
        return ()

    def _finished(self, message: Finished) -> None:
        if self.run is not None and message.run.id == self.run.id:
            self.run, self.incomplete = message.run, message.incomplete
            self.state, self.in_flight = message.run.state, 0
            return
        linked = self._linked.pop(message.run.id, None)
        if linked is not None:
            self.ended.append(replace(linked, run=message.run))

    def _died(self) -> None:
        words = self._feed.last_words.strip().splitlines()
        self.problem = self.problem or (words[-1] if words else "it said nothing")
        self.state = "died"
