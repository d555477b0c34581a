"""What the messages of a runner add up to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from msgspec.structs import replace

from evaltui.engine.pipe import Batch, Failed, Finished, Message, Started
from evaltui.models import CaseSummary, Mode, Outcome, RunInfo
from evaltui.review.live import LiveRun

RUN = RunInfo("id-1", "r1", "2026-01-01", Mode.MOCK, "mock", "p", (), (), "/x")
AGAIN = replace(RUN, id="id-2", label="r2", parent="id-1")
ROW = CaseSummary(0, 0, "a", Outcome.PASS)


class Pipe:
    """The near end of a runner that says what a test tells it to."""

    last_words = "Traceback\nboom"

    def __init__(self) -> None:
        self.waiting: list[Message] = []
        self.code: int | None = None
        self.asked: list[object] = []

    def drain(self) -> Sequence[Message]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def poll(self) -> int | None:
        return self.code

    def rerun(self, indices: Sequence[int]) -> None:
        self.asked.append(tuple(indices))

    def stop(self) -> None:
        self.asked.append("stop")


def batch(run: RunInfo, *rows: CaseSummary) -> Batch:
    return Batch(run.id, rows, len(rows), 3, 1, 0, 10, Decimal(0), 5.0)


def started() -> tuple[Pipe, LiveRun, list[float]]:
    pipe, now = Pipe(), [0.0]
    live = LiveRun(pipe, lambda: now[0])
    pipe.waiting = [Started(RUN, 4)]
    live.step()
    return pipe, live, now


def test_a_run_goes_from_starting_to_finished() -> None:
    pipe, live, now = started()
    assert live.progress().state == "running"
    pipe.waiting = [batch(RUN, ROW)]
    assert live.step() == [ROW]
    live.done, now[0] = 1, 100.0
    assert live.progress().remaining_ms == 300.0
    pipe.waiting = [Finished(replace(RUN, state="finished"), None)]
    live.step()
    now[0] = 900.0
    assert (live.progress().state, live.progress().elapsed_ms) == ("finished", 100.0)
    assert live.idle
    assert live.progress().remaining_ms is None


def test_stopping_is_said_until_the_runner_has_stopped() -> None:
    pipe, live, _ = started()
    live.stop()
    assert (pipe.asked, live.progress().state) == (["stop"], "stopping")
    pipe.waiting = [Finished(replace(RUN, state="interrupted"), "interrupted")]
    live.step()
    assert (live.progress().state, live.incomplete) == ("interrupted", "interrupted")


def test_the_rows_of_a_linked_run_stay_apart() -> None:
    pipe, live, _ = started()
    fail = replace(ROW, outcome=Outcome.FAIL)
    pipe.waiting = [Started(AGAIN, 2, (0, 1)), batch(AGAIN, ROW), batch(AGAIN, fail)]
    assert live.step() == []
    pipe.waiting = [Finished(AGAIN, None)]
    live.step()
    assert [linked.sentence for linked in live.ended] == ["r2 ran 2 cases again: 1 pass, 1 fail"]
    assert live.state == "running"


def test_a_runner_that_dies_is_noticed_with_its_last_words() -> None:
    pipe, live, _ = started()
    pipe.code, pipe.waiting = -9, [batch(RUN, ROW)]
    assert live.step() == [ROW]
    assert (live.state, live.problem) == ("died", "boom")


def test_a_runner_that_cannot_start_says_why_and_its_exit_code() -> None:
    pipe = Pipe()
    live = LiveRun(pipe, lambda: 0.0)
    pipe.code, pipe.waiting = 0, [Failed("suite.ulx: no such benchmark", 2)]
    live.step()
    assert (live.state, live.problem) == ("died", "suite.ulx: no such benchmark")
    assert live.exit_code == 2
