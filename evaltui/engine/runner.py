"""Runs cases concurrently and tells what happens as one stream of events."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Final

from evaltui.engine.budget import RunStopped
from evaltui.engine.run_plan import RunPlan
from evaltui.engine.secrets import without_keys
from evaltui.engine.shared_keys import SharedKeys
from evaltui.engine.waiting import run_in_greenlet, wait_for
from evaltui.models import (
    CallFinished,
    CallRecord,
    CaseError,
    CaseFinished,
    CaseResult,
    CaseSpec,
    CaseStarted,
    Event,
    FailureClass,
    Judgement,
    RunFinished,
    RunStarted,
)
from evaltui.suites.base import CaseContext

TURN_S: Final = 0.01
"""How long cases that never wait may keep the loop."""
GRACE_S: Final = 2.0
"""How long cases in flight may go on after a stop."""
_LIMIT: Final = 2000
"""Events that may wait for their reader."""


class Runner:
    """One pass over cases of a planned run. ``events`` may be read once."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self._todo = deque(plan.specs[index] for index in plan.todo)
        self._events: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped: str | None = None
        self._turn = 0.0
        self._in_flight = 0
        self._keys = SharedKeys()
        plan.services.stop_with(self.stop)

    @property
    def in_flight(self) -> int:
        """Cases that have started and not ended."""
        return self._in_flight

    @property
    def caught_up(self) -> bool:
        """Whether all that has happened so far has been read."""
        return not self._events

    @property
    def stopped(self) -> str | None:
        """Why no further case is started."""
        return self._stopped

    def stop(self, reason: str, grace_s: float = GRACE_S) -> None:
        """Start no more cases; those in flight get a moment to end. Call it from the loop."""
        if self._stopped is None:
            self._stopped = reason
            asyncio.get_running_loop().call_later(grace_s, self._cancel)

    def again(self, specs: Iterable[CaseSpec]) -> None:
        """Run these cases too, before the ones that wait."""
        self._todo.extendleft(reversed(list(specs)))
        self._start_workers()

    async def events(self) -> AsyncIterator[Event]:
        """Everything that happens, from ``RunStarted`` to ``RunFinished``.

        Raises:
            StoreError: results can no longer be stored; what was committed is kept.
        """
        yield RunStarted(self.plan.run, len(self.plan.specs))
        for kept in self._kept():
            yield kept
        self._start_workers()
        try:
            async for event in self._until_idle():
                yield event
            await self._failed_worker()
            for event in self._removed():
                yield event
            state = "finished" if self._stopped is None else "interrupted"
            self._close(state)
            yield RunFinished(state, self._stopped)
        finally:
            self._cancel()
            await self._disconnect()

    async def _disconnect(self) -> None:
        """Close the connections, after the calls in flight have let go of them."""
        pending = [task for task in self._tasks if not task.done()]
        if pending:
            await asyncio.wait(pending, timeout=GRACE_S)
        await self.plan.services.network.close()

    async def _until_idle(self) -> AsyncIterator[Event]:
        while True:
            while self._events:
                yield self._events.popleft()
            self._room.set()
            if all(task.done() for task in self._tasks):
                return
            await self._wake.wait()
            self._wake.clear()

    def _start_workers(self) -> None:
        running = sum(not task.done() for task in self._tasks)
        wanted = min(self.plan.concurrency, running + len(self._todo))
        for _ in range(wanted - running):
            task = asyncio.create_task(run_in_greenlet(self._work))
            task.add_done_callback(lambda _: self._wake.set())
            self._tasks.add(task)

    def _work(self) -> None:
        """Run one case after the other; whatever one of them waits for, this worker waits for."""
        while self._todo and self._stopped is None:
            spec = self._todo.popleft()
            self._emit(CaseStarted(spec.index))
            self._in_flight += 1
            try:
                result = self._result(spec)
            except RunStopped as stopped:
                self.stop(stopped.reason)
                return
            finally:
                self._in_flight -= 1
            self._finish(spec, result)
            self._let_others()

    def _let_others(self) -> None:
        now = time.monotonic()
        if now - self._turn > TURN_S:
            self._turn = now
            wait_for(asyncio.sleep(0))
        if len(self._events) > _LIMIT:
            self._room.clear()
            wait_for(self._room.wait())

    def _result(self, spec: CaseSpec) -> CaseResult:
        plan = self.plan
        suite, position = plan.origin(spec.index)
        section = plan.run.sections[spec.section]
        context = CaseContext(plan.services, section, position, self._listener(spec.index))
        try:
            return suite.execute(spec, context)
        except Exception as error:
            problem = CaseError(
                FailureClass.PROGRAM,
                "internal",
                f"{type(error).__name__}: {error}",
                "this is a defect of evaltui or of the suite: see --debug",
            )
            return CaseResult(spec.index, error=problem, started_at=plan.services.clock.stamp())

    def _listener(self, index: int) -> Callable[[CallRecord], None]:
        return lambda call: self._emit(CallFinished(index, call))

    def _finish(self, spec: CaseSpec, result: CaseResult) -> None:
        result = without_keys(result, self.plan.services.network.scanner)
        self._keys.note(spec, result)
        self._emit(self._judged(spec, result))

    def _judged(self, spec: CaseSpec, result: CaseResult) -> CaseFinished:
        from evaltui.review.judging import judge_case

        judgement = judge_case(spec, result, self.plan.context, self.plan.previous(spec))
        return self._stored(spec, result, judgement)

    def _stored(self, spec: CaseSpec, result: CaseResult, judgement: Judgement) -> CaseFinished:
        from evaltui.review.summary import summarise

        summary = summarise(spec, result, judgement)
        self.plan.writer.put(spec, result, judgement, summary)
        return CaseFinished(spec, result, judgement, summary)

    def _kept(self) -> Iterator[CaseFinished]:
        """Stored results in the light of today's decisions."""
        plan = self.plan
        if not plan.kept:
            return
        wanted = set(plan.kept)
        for record in plan.store.records(plan.run.id):
            if record.spec.index in wanted:
                self._keys.note(record.spec, record.result)
                yield self._judged(record.spec, record.result)

    def _removed(self) -> list[CaseFinished]:
        from evaltui.review.removal import removed_cases

        if self._stopped is not None or self.plan.run.filtered:
            return []
        return [self._stored(*gone) for gone in removed_cases(self.plan.context, self.plan.specs)]

    def _emit(self, event: Event) -> None:
        self._events.append(event)
        self._wake.set()

    async def _failed_worker(self) -> None:
        for task in self._tasks:
            if not task.cancelled():
                task.result()

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _close(self, state: str) -> None:
        plan = self.plan
        plan.problems.extend(self._keys.warnings(plan))
        plan.finish(state)
