"""The effects of ``ulx``: one after the other, cached on disk, traced (runtime spec 3, 6, 7)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.engine.blocking import wait
from evaltui.engine.cache import FileCache
from evaltui.engine.carriers import Unsettled, Value
from evaltui.engine.effects import Message, Request
from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.keys import call_key, escalation_key
from evaltui.engine.pure_effects import run_in_order
from evaltui.engine.rendering import display
from evaltui.engine.trace import Line, TraceRecord
from evaltui.providers.base import ProviderFailure, ProviderRequest, Reply
from evaltui.providers.registry import Entry, Registry

T = TypeVar("T")

SUSPENDED: Final = "suspended"
"""The error text of an escalation that nobody has decided."""

SPOKEN: Final = ("chat", "vision")
"""Capabilities whose messages a transcript shows as they are sent."""

_EMBED_DRAFTS: Final = {
    "RateLimited": "provider rate-limited the request",
    "Timeout": "provider request timed out",
    "Refused": "provider refused the request: {}",
}


class Listener(Protocol):
    """Follows a run as it happens."""

    def sent(self, messages: Sequence[Message]) -> None:
        """Messages of a chat or vision call, before it is answered."""
        ...

    def recorded(self, record: TraceRecord) -> None:
        """A record was written."""
        ...


class Recorder(Protocol):
    """Takes trace records."""

    def append(self, record: TraceRecord) -> None:
        """Write one record."""
        ...


def milliseconds() -> int:
    """The time in Unix milliseconds."""
    return time.time_ns() // 1_000_000


class Mode(Struct):
    """How a run treats the cache; a strict one (a replay) never calls anybody."""

    reads_cache: bool = True
    strict: bool = False


class _Branch(Struct):
    """Where escalations are counted: the ``with`` members around, and how many so far."""

    path: tuple[int, ...] = ()
    count: int = 0


class _Position(Struct):
    seq: int = 0
    parent: str | None = None
    branch: _Branch = field(default_factory=_Branch)


class UlxEffects:
    """The effects of one pass over a run.

    Args:
        run_id: names the trace, and is part of the keys of escalations.
        clock: Unix milliseconds.
    """

    def __init__(
        self,
        run_id: str,
        registry: Registry,
        cache: FileCache,
        trace: Recorder,
        *,
        mode: Mode | None = None,
        listener: Listener | None = None,
        clock: Callable[[], int] = milliseconds,
    ) -> None:
        self._run_id = run_id
        self._registry = registry
        self._cache = cache
        self._trace = trace
        self._mode = mode or Mode()
        self._listener = listener
        self._clock = clock
        self._at = _Position()

    def call(self, request: Request) -> Value:
        """Answer from the cache, else from a provider; drafts are answers too (3.4).

        Raises:
            RuntimeFailure: no provider, it failed, or a replay has nothing to repeat.
        """
        entry = self._registry.resolve(request.capability, request.provider)
        key = call_key(request, entry.provider.vendor)
        if self._listener is not None and request.capability in SPOKEN:
            self._listener.sent(request.messages)
        asked = self._record(request.capability, _input(request), key, entry)
        if self._mode.reads_cache:
            known = self._cache.read(key)
            if known is not None:
                self._append(asked, cache_hit=True, output=known)
                return known
        if self._mode.strict:
            text = f"no cached result for `{request.capability}` call (key {key})"
            raise RuntimeFailure(f"replay error: {text} during strict replay", "replay_error")
        return self._ask(entry, request, asked, key)

    def _ask(self, entry: Entry, request: Request, asked: TraceRecord, key: str) -> Value:
        try:
            value = _answered(entry, request)
        except RuntimeFailure as failure:
            self._append(asked, error=failure.text)
            raise
        self._cache.try_write(key, value)
        self._append(asked, output=value)
        return value

    def embed(self, text: str, provider: str | None) -> Value:
        """The embedding of ``text``; a draft is an error here (2.11).

        Raises:
            RuntimeFailure: no provider, it failed, or gave no answer.
        """
        request = Request("embed", (Message("user", text),), {}, provider)
        value = _answered(self._registry.resolve("embed", provider), request)
        if isinstance(value, Unsettled):
            text = _EMBED_DRAFTS[value.variant].format(value.reason)
            raise RuntimeFailure(text, "provider_failed")
        return value

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        """The decision recorded for this place of the run (3.7).

        Raises:
            Suspended: there is none.
            RuntimeFailure: there is none, in a replay.
        """
        branch = self._at.branch
        key = escalation_key(target, arguments, self._run_id, branch.path, branch.count)
        branch.count += 1
        asked = self._record("escalate", ((target, reason),), key, None)
        known = self._cache.read(key)
        if known is not None:
            self._append(asked, cache_hit=True, output=known)
            return known
        if self._mode.strict:
            raise RuntimeFailure(
                f"replay error: escalate to `{target}` has no recorded decision "
                "and this is a strict replay",
                "replay_error",
            )
        self._append(asked, error=SUSPENDED)
        raise Suspended(target, reason, arguments, key)

    def validated(self, field: str, subject: Value) -> None:
        """Trace that a validator looked at ``subject``."""
        lines = (("subject", display(subject)),)
        self._append(self._record(f"validator:{field}", lines, None, None))

    def conversation(
        self, name: str, arguments: Sequence[tuple[str, Value]]
    ) -> AbstractContextManager[None]:
        """Trace a conversation call; records inside name it as their parent."""
        lines = tuple([(role, display(value)) for role, value in arguments])
        record = replace(self._record(name, lines, None, None), kind="call")
        self._append(record)
        return _Call(self._at, f"{self._run_id}:{record.seq}")

    def concurrently(self, members: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run members one after the other, escalations counted apart in each."""
        outer = self._at.branch

        def inside(number: int, member: Callable[[], T]) -> Callable[[], T]:
            def run() -> T:
                self._at.branch = _Branch((*outer.path, number))
                return member()

            return run

        try:
            return run_in_order([inside(*pair) for pair in enumerate(members)])
        finally:
            self._at.branch = outer

    def tick(self) -> None:
        """Time is not limited."""

    def _record(
        self, capability: str, lines: tuple[Line, ...], key: str | None, entry: Entry | None
    ) -> TraceRecord:
        provider = entry.provider if entry is not None else None
        return TraceRecord(
            self._run_id,
            self._at.seq,
            "effect",
            capability,
            lines,
            0,
            key,
            provider=provider.vendor if provider is not None else None,
            model=provider.model if provider is not None else None,
            parent_run_id=self._at.parent,
        )

    def _append(
        self,
        record: TraceRecord,
        *,
        cache_hit: bool = False,
        output: Value | None = None,
        error: str | None = None,
    ) -> None:
        self._at.seq += 1
        finished = replace(
            record, timestamp_ms=self._clock(), cache_hit=cache_hit, output=output, error=error
        )
        self._trace.append(finished)
        if self._listener is not None:
            self._listener.recorded(finished)


def _input(request: Request) -> tuple[Line, ...]:
    if request.judge is None:
        return tuple([(message.role, message.text) for message in request.messages])
    subject, rubric = request.arguments["subject"], request.arguments["rubric"]
    return (("subject", display(subject)), (f"rubric {request.judge}", display(rubric)))


def _answered(entry: Entry, request: Request) -> Value:
    asked = ProviderRequest(
        request.capability, request.messages, request.arguments, request.judge, request.attempt
    )
    try:
        reply = entry.provider.call(asked)
        if not isinstance(reply, Reply):
            reply = wait(reply)
    except ProviderFailure as failure:
        text = f"provider call failed: {failure.message}"
        raise RuntimeFailure(text, "provider_failed") from failure
    return reply.value


class _Call:
    """Names a conversation call as parent of the records made inside it."""

    __slots__ = ("_at", "_name", "_outer")

    def __init__(self, at: _Position, name: str) -> None:
        self._at = at
        self._name = name
        self._outer = at.parent

    def __enter__(self) -> None:
        self._at.parent = self._name

    def __exit__(self, *_: object) -> None:
        self._at.parent = self._outer
