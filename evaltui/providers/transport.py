"""One way out to one provider: pacing, attempts, retries and the breaker around each exchange."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import structs

from evaltui.models import AttemptRecord
from evaltui.project import Limits
from evaltui.providers.base import ProviderFailure
from evaltui.providers.breaker import Breaker
from evaltui.providers.failures import Kind, failed
from evaltui.providers.pacing import Pacer
from evaltui.providers.rules import NO_LIMITS, Rules, Timing, hinted, wait_before

if TYPE_CHECKING:
    from evaltui.providers.connections import Connections, Incoming, Outgoing

T = TypeVar("T")

_UNHEALTHY = frozenset((Kind.NETWORK, Kind.TLS, Kind.TIMEOUT, Kind.SERVER))
_MARGIN_S = 0.05
"""A call ends a little before its case does, so that what happened is recorded."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What was read from a reply, the reply, and every attempt that led to it."""

    content: T
    reply: Incoming
    attempts: tuple[AttemptRecord, ...]


class Lane:
    """The way to one provider, shared by all calls of its entries."""

    def __init__(
        self,
        connections: Connections,
        rules: Rules,
        limits: Limits = NO_LIMITS,
        timing: Timing | None = None,
    ) -> None:
        self.connections = connections
        self.rules = rules
        self.timing = timing or Timing()
        self.attempts = limits.attempts or rules.attempts
        self.attempt_s = limits.timeout_s or rules.attempt_s
        self.breaker = Breaker(rules, self.timing)
        self.pacer = Pacer(limits, self.timing)
        self.places = asyncio.Semaphore(limits.concurrency) if limits.concurrency else None
        self._shut: ProviderFailure | None = None

    async def send(
        self, outgoing: Outgoing, read: Callable[[Incoming], T], within_s: float | None
    ) -> Answered[T]:
        """Send until there is an answer, at most ``within_s`` seconds long.

        ``read`` turns a reply into the answer, or raises why it is none. A reply that was read is
        never asked for again.

        Raises:
            ProviderFailure: there is no answer; it carries the attempts.
        """
        if self._shut is not None:
            raise replace(self._shut, attempts=())
        ends = self.timing.now() + within_s - _MARGIN_S if within_s is not None else None
        return await _Sending(self, outgoing, read, ends).run()

    def shut(self, failure: ProviderFailure) -> None:
        """Send nothing more: no further call can succeed."""
        self._shut = failure


class _Sending(Generic[T]):
    """One call on its way; ``trail`` are its attempts so far."""

    def __init__(
        self,
        lane: Lane,
        outgoing: Outgoing,
        read: Callable[[Incoming], T],
        ends: float | None,
    ) -> None:
        self._lane = lane
        self._outgoing = outgoing
        self._read = read
        self._ends = ends
        self._trail: list[AttemptRecord] = []
        self._waited = 0.0

    async def run(self) -> Answered[T]:
        number = 1
        while True:
            try:
                return await self._attempt(number)
            except ProviderFailure as failure:
                wait = self._wait_after(failure, number)
                if wait is None:
                    failure.attempts = tuple(self._trail)
                    if failure.stop_run and self._lane.rules.stops:
                        self._lane.shut(failure)
                    raise
            await self._pause(wait)
            number += 1

    def _wait_after(self, failure: ProviderFailure, number: int) -> float | None:
        """Seconds until the next attempt; None when there must be none."""
        lane, kind = self._lane, Kind(failure.kind)
        if number >= lane.attempts or kind not in lane.rules.retried:
            return None
        if self._outgoing.once and kind is Kind.TIMEOUT:
            return None
        hint = failure.retry_after_s
        wait = wait_before(number + 1, hint, lane.timing)
        if self._left() > wait:
            if hint is not None and kind is Kind.RATE_LIMIT:
                lane.pacer.pause(hint)
            return wait
        if hint is not None:
            failure.message += f" (asked to wait {hint:g} s, which the case has not left)"
        return None

    async def _attempt(self, number: int) -> Answered[T]:
        lane = self._lane
        await self._until_admitted()
        async with self._place():
            self._check_time()
            lane.breaker.sending()
            reply = await self._exchange(number)
        try:
            content = self._read(reply)
        except ProviderFailure as problem:
            self._settle_health(problem)
            self._trail[-1] = structs.replace(self._trail[-1], error=problem.message)
            problem.retry_after_s = hinted(reply.headers, lane.rules, lane.timing)
            raise
        lane.breaker.healthy()
        return Answered(content, reply, tuple(self._trail))

    async def _exchange(self, number: int) -> Incoming:
        lane, waited = self._lane, self._waited
        self._waited = 0.0
        began = lane.timing.now()
        within = min(lane.attempt_s, self._left())
        try:
            reply = await lane.connections.exchange(self._outgoing, within, lane.rules.max_bytes)
        except ProviderFailure as failure:
            self._settle_health(failure)
            took = (lane.timing.now() - began) * 1000
            self._note(AttemptRecord(number, None, waited, took, error=failure.message))
            raise
        except BaseException:
            lane.breaker.given_up()
            raise
        digest = hashlib.sha256(reply.body).hexdigest()
        self._note(
            AttemptRecord(
                number, reply.status, waited, reply.latency_ms, reply.request_id, None, digest
            )
        )
        return reply

    def _note(self, record: AttemptRecord) -> None:
        wait_ms = round(record.wait_ms * 1000, 3)
        self._trail.append(
            structs.replace(record, wait_ms=wait_ms, latency_ms=round(record.latency_ms, 3))
        )

    def _settle_health(self, failure: ProviderFailure) -> None:
        if failure.kind in _UNHEALTHY:
            self._lane.breaker.unhealthy()
        else:
            self._lane.breaker.healthy()

    async def _until_admitted(self) -> None:
        """Wait for the breaker and for a place in the pace.

        Raises:
            ProviderFailure: the breaker stays open too long.
        """
        lane = self._lane
        while (closed := lane.breaker.closed_in()) > 0:
            hopeless = lane.rules.waits and lane.breaker.trials >= lane.rules.breaker_trials
            if hopeless or not lane.rules.waits or self._left() <= closed:
                raise self._breaker_failure(stop=hopeless)
            await self._pause(closed)
        wait = lane.pacer.reserve(self._outgoing.tokens)
        if wait > 0:
            await self._pause(min(wait, self._left()))
            self._check_time()

    def _breaker_failure(self, *, stop: bool) -> ProviderFailure:
        failure = failed(Kind.BREAKER, "circuit breaker open: too many recent failures")
        failure.stop_run = stop
        return failure

    def _check_time(self) -> None:
        if self._left() <= 0:
            raise failed(Kind.TIMEOUT, "the case's time was used up before the call could be sent")

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """One of the places that the provider allows at once."""
        places = self._lane.places
        if places is None:
            yield
            return
        began = self._lane.timing.now()
        async with places:
            self._waited += self._lane.timing.now() - began
            yield

    async def _pause(self, seconds: float) -> None:
        self._waited += seconds
        await self._lane.timing.sleep(seconds)

    def _left(self) -> float:
        return float("inf") if self._ends is None else self._ends - self._lane.timing.now()
