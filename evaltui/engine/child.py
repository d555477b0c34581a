"""The runner as a process of its own: ``python -m evaltui.engine.child``.

It reads a job and commands from standard input and writes messages to standard output, as
``evaltui.engine.pipe`` lays down. When its input ends it stops within two seconds.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import traceback
from collections import deque
from decimal import Decimal
from typing import BinaryIO, Final

from evaltui.clock import Ids, system_clock
from evaltui.collector import calm_collector
from evaltui.engine.pipe import (
    Batch,
    Failed,
    Finished,
    Message,
    Rerun,
    Started,
    Stop,
    line,
    read_command,
    read_job,
)
from evaltui.engine.preparing import carry_on, prepare, repeat
from evaltui.engine.resuming import is_answered
from evaltui.engine.run_plan import RunPlan
from evaltui.engine.runner import Runner
from evaltui.errors import EvaltuiError, ExitCode
from evaltui.models import CallFinished, CaseFinished, CaseSummary, Event, RunFinished

INTERVAL_S: Final = 0.05
PARENT_GONE_S: Final = 1.5


class _Totals:
    """Rows that wait to be committed before they are sent, and sums over all that ended."""

    def __init__(self, plan: RunPlan) -> None:
        self.rows: deque[tuple[int, CaseSummary]] = deque()
        self._run_id = plan.run.id
        self._writer = plan.writer
        self.done = 0
        self.calls = 0
        self.cache_hits = 0
        self.tokens = 0
        self.cost = Decimal(0)
        self.began = time.monotonic()

    def add(self, event: Event) -> None:
        """Count what an event tells."""
        if isinstance(event, CaseFinished):
            self.rows.append((self._writer.submitted, event.summary))
            self.done += 1
        elif isinstance(event, CallFinished):
            call = event.call
            self.calls += 1
            if call.cache_hit:
                self.cache_hits += 1
            else:
                self.tokens += (call.input_tokens or 0) + (call.output_tokens or 0)
                self.cost += call.cost or 0

    def batch(self, in_flight: int) -> Batch:
        """What is to be said now, with the rows whose details can be read from the store."""
        rows, committed = [], self._writer.committed
        while self.rows and self.rows[0][0] <= committed:
            rows.append(self.rows.popleft()[1])
        return Batch(
            self._run_id,
            tuple(rows),
            self.done,
            in_flight,
            self.calls,
            self.cache_hits,
            self.tokens,
            self.cost,
            round((time.monotonic() - self.began) * 1000, 1),
        )


class Child:
    """Runs one job and what is asked for after it."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._ids = Ids()
        self._commands: deque[Rerun] = deque()
        self._arrived = asyncio.Event()
        self._ended = False
        self._runner: Runner | None = None
        self._plan: RunPlan | None = None

    async def main(self) -> None:
        """Run until the input ends."""
        loop = asyncio.get_running_loop()
        first = await loop.run_in_executor(None, self._source.readline)
        if not first:
            return
        try:
            self._plan = prepare(read_job(first).request, system_clock(), self._ids)
            threading.Thread(target=self._read, args=(loop,), daemon=True).start()
            await self._run(self._plan, ())
            while not self._ended:
                await self._arrived.wait()
                self._arrived.clear()
                while self._commands and not self._ended:
                    await self._rerun(self._commands.popleft().indices)
        except EvaltuiError as error:
            self._send(Failed(str(error), error.exit_code))
        finally:
            if self._plan is not None:
                self._plan.store.close()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for text in self._source:
            loop.call_soon_threadsafe(self._take, text)
        threading.Timer(PARENT_GONE_S, os._exit, (ExitCode.INCOMPLETE,)).start()
        loop.call_soon_threadsafe(self._end)

    def _take(self, text: bytes) -> None:
        command = read_command(text)
        if isinstance(command, Stop):
            self._stop("interrupted")
        elif not self._goes_on(command.indices):
            self._commands.append(command)
            self._arrived.set()

    def _end(self) -> None:
        self._ended = True
        self._arrived.set()
        self._stop("the screen was closed", 0)

    def _stop(self, reason: str, grace_s: float | None = None) -> None:
        if self._runner is not None and grace_s is None:
            self._runner.stop(reason)
        elif self._runner is not None:
            self._runner.stop(reason, grace_s or 0)

    def _goes_on(self, indices: tuple[int, ...]) -> bool:
        """Take answered cases into the pass that is running; False when they have to wait."""
        if self._runner is None or self._plan is None or self._runner.plan is not self._plan:
            return False
        self._plan.writer.flush()
        self._plan.context.refresh()
        answered, others = self._split(indices)
        if others or self._runner.stopped:
            return False
        self._runner.again([self._plan.specs[index] for index in answered])
        return True

    async def _rerun(self, indices: tuple[int, ...]) -> None:
        assert self._plan is not None
        self._plan.context.refresh()
        answered, others = self._split(indices)
        if answered:
            self._plan = carry_on(self._plan, answered)
            await self._run(self._plan, ())
        if others:
            await self._run(repeat(self._plan, others, self._ids), others)

    def _split(self, indices: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        plan = self._plan
        assert plan is not None
        known = [index for index in indices if 0 <= index < len(plan.specs)]
        records = {index: plan.store.record(plan.run.id, index) for index in known}
        answered = tuple(
            index for index in known if is_answered(records[index], plan.run, plan.context)
        )
        return answered, tuple(index for index in known if index not in answered)

    async def _run(self, plan: RunPlan, origins: tuple[int, ...]) -> None:
        runner = self._runner = Runner(plan)
        totals = _Totals(plan)
        self._send(Started(plan.run, len(plan.specs), origins))
        ticker = asyncio.create_task(self._tick(runner, totals))
        incomplete = None
        try:
            async for event in runner.events():
                totals.add(event)
                if isinstance(event, RunFinished):
                    incomplete = event.incomplete
        finally:
            ticker.cancel()
            self._runner = None
        self._send(totals.batch(0))
        self._send(Finished(plan.run, incomplete))

    async def _tick(self, runner: Runner, totals: _Totals) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            self._send(totals.batch(runner.in_flight))

    def _send(self, message: Message) -> None:
        try:
            self._sink.write(line(message))
            self._sink.flush()
        except BrokenPipeError:
            self._end()


def main() -> ExitCode:
    """Serve one screen; the last line on standard error says what went wrong, if anything did."""
    calm_collector()
    try:
        asyncio.run(Child(sys.stdin.buffer, sys.stdout.buffer).main())
    except Exception:
        traceback.print_exc()
        return ExitCode.INTERNAL
    return ExitCode.OK


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread may still be reading, which the usual end of the interpreter does not bear.
    os._exit(code)
