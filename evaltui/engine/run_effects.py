"""What one case may do to the world under ``evaltui run``: cached, recorded, bounded calls."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Final, TypeVar

from evaltui.engine.answers import answer_key, imported_key
from evaltui.engine.carriers import PASS, Unsettled, Value, fail
from evaltui.engine.effects import Message, Request
from evaltui.engine.failures import DeadlineExceeded, RuntimeFailure, Stopped, Suspended
from evaltui.engine.finite import is_finite
from evaltui.engine.instruments import Measure, combined
from evaltui.engine.json_text import JsonError
from evaltui.engine.recording import CallLog
from evaltui.engine.rendering import display
from evaltui.engine.services import Entry, Registry, RunServices
from evaltui.engine.tagging import content_hash, natural, tagged, untagged
from evaltui.engine.waiting import can_wait, gather, wait_for
from evaltui.models import Action, GivenAnswer, Mode, Section, Suspension
from evaltui.providers.base import (
    Expected,
    Foreseeable,
    ProviderFailure,
    ProviderRequest,
    Reply,
)
from evaltui.providers.describing import describe
from evaltui.review.answering import told
from evaltui.store.records import CachedAnswer

if TYPE_CHECKING:
    from evaltui.models import CallRecord, Decision

T = TypeVar("T")
JUDGE_PREFIX: Final = "judge:"
TURN_S: Final = 0.02
"""How long a program that computes may keep the loop."""
ROOM_S: Final = 0.02
"""How often a call that waits for room in the budget looks again."""
_NOTHING: Final = Expected()
_scope: ContextVar[tuple[str, ...]] = ContextVar("scope", default=())


class Undecided(Suspended):
    """A suspension with what its answer is keyed by."""

    def __init__(
        self,
        target: str,
        reason: str,
        arguments: Mapping[str, Value],
        digest: str,
        occurrence: int,
    ) -> None:
        super().__init__(target, reason, arguments, f"{digest}#{occurrence}")
        self.digest = digest
        self.occurrence = occurrence


class RunEffects:
    """The effects of one case.

    Args:
        registry: who may answer.
        section: the benchmark the case belongs to.
        case_id: for canned answers, replay and escalations.
        on_call: told of every call as it ends.
    """

    def __init__(
        self,
        services: RunServices,
        registry: Registry,
        section: Section,
        case_id: str,
        on_call: Callable[[CallRecord], None] | None = None,
    ) -> None:
        self._services = services
        self._registry = registry
        self._section = section
        self._case_id = case_id
        self._began = time.perf_counter()
        self._deadline = self._began + services.case_seconds
        self._next_turn = self._began + TURN_S
        self._occurrences: Counter[tuple[str, str]] = Counter()
        self._turns: Counter[object] = Counter()
        self._instruments: set[str] = set()
        self._modes: set[Mode] = set()
        self.log = CallLog(self._began, on_call)
        self.drafts: list[Unsettled] = []
        self.answers: list[GivenAnswer] = []
        """The escalations so far that people had decided."""

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the case began."""
        return (time.perf_counter() - self._began) * 1000

    @property
    def instrument(self) -> str:
        """Canonical JSON of what measured so far."""
        return combined(self._instruments)

    @property
    def mode(self) -> Mode | None:
        """Where the answers came from: canned when any of them was; None without a call."""
        canned = self._modes - {Mode.LIVE}
        return min(canned) if canned else next(iter(self._modes), None)

    def call(self, request: Request) -> Value:
        """Answer from the cache, a stored run or the provider (see ``Effects.call``).

        Raises:
            RuntimeFailure: no provider, or it failed; the cause is a ``ProviderFailure``.
            RunStopped: a ceiling is reached.
        """
        self.tick()
        entry = self._registry.resolve(request.capability, request.provider)
        asked = ProviderRequest(
            request.capability,
            request.messages,
            request.arguments,
            request.judge,
            request.attempt,
            self._case_id,
            self._deadline - time.perf_counter(),
            self._turns,
            request.template,
        )
        return self._answer(entry, asked)

    def embed(self, text: str, provider: str | None) -> Value:
        """The embedding of ``text``; a draft is an error here (runtime specification 2.11)."""
        value = self.call(Request("embed", (Message("user", text),), {}, provider))
        if not isinstance(value, Unsettled):
            return value
        self.drafts.remove(value)
        raise RuntimeFailure(_EMBED_DRAFTS[value.variant].format(value.reason), "provider_failed")

    def escalate(self, target: str, arguments: Mapping[str, Value], reason: str) -> Value:
        """The decision of a person, found by name, arguments and occurrence.

        Raises:
            Undecided: nobody has decided yet.
            Stopped: a person denied and stopped the case.
        """
        digest = content_hash(dict(arguments))
        occurrence = self._occurrences[target, digest]
        self._occurrences[target, digest] += 1
        decision = self._services.decisions.answer(
            self._section, self._case_id, target, digest, occurrence, self._services.run_id
        )
        if decision is None:
            raise Undecided(target, reason, arguments, digest, occurrence)
        waiting = Suspension(target, reason, natural(dict(arguments)), digest, occurrence)
        self.answers.append(GivenAnswer(waiting, told(decision, decision.targets[0])))
        return self._decided(decision, target)

    def validated(self, field: str, subject: Value) -> None:
        """Validators send nothing, so there is nothing to record."""

    def conversation(
        self, name: str, arguments: Sequence[tuple[str, Value]]
    ) -> AbstractContextManager[None]:
        """Calls inside carry ``name`` in their scope."""
        return _Conversation(name)

    def concurrently(self, members: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Interleave the members of a ``with`` block."""
        return gather(members)

    def tick(self) -> None:
        """End a case that has used up its time; let others go on while it computes.

        Raises:
            DeadlineExceeded: it has.
        """
        now = time.perf_counter()
        if now > self._deadline:
            raise DeadlineExceeded(f"took longer than {self._services.case_seconds:g} s")
        if now > self._next_turn:
            if can_wait():
                wait_for(asyncio.sleep(0))
            self._next_turn = time.perf_counter() + TURN_S

    def _answer(self, entry: Entry, asked: ProviderRequest) -> Value:
        services, provider = self._services, entry.provider
        model = asked.arguments.get("model")
        named = model if isinstance(model, str) else None
        measure = services.measure(entry, asked.capability, named)
        canned = services.canned(provider)
        key = answer_key(measure, asked, canned.fingerprint(asked) if canned else "")
        self._modes.add(Mode.REPLAY if services.recording else provider.mode)
        found = services.answers.find(key) if services.recording is None else None
        value = _kept_value(found)
        if found is None or value is None:
            return self._ask(entry, measure, asked, key)
        if canned:
            canned.passed_over(asked)
        self._instruments.add(measure.member(found.answered_by, _rubric(asked)))
        self.log.hit(measure.instrument, asked, key, found, _scope.get())
        return value

    def _ask(self, entry: Entry, measure: Measure, asked: ProviderRequest, key: str) -> Value:
        started = time.perf_counter()
        try:
            reply = self._reply(entry, measure, asked, key)
        except ProviderFailure as failure:
            self._instruments.add(measure.member(None, _rubric(asked)))
            self.log.failed(measure.instrument, asked, key, failure, started, _scope.get())
            if failure.stop_run:
                self._services.stop(f"{entry.name}: {failure.message}")
            text = f"provider call failed: {failure.message}"
            raise RuntimeFailure(text, "provider_failed") from failure
        self._instruments.add(measure.member(reply.model, _rubric(asked)))
        call = self.log.answered(measure.instrument, asked, key, reply, started, _scope.get())
        self._services.budget.spend((call.input_tokens or 0) + (call.output_tokens or 0), call.cost)
        if isinstance(reply.value, Unsettled):
            self.drafts.append(reply.value)
        return reply.value

    def _reply(self, entry: Entry, measure: Measure, asked: ProviderRequest, key: str) -> Reply:
        services = self._services
        if services.recording is not None:
            case = recorded_case(self._section, self._case_id)
            if services.recording.is_imported:
                key = imported_key(asked, entry.provider.vendor)
            return _usable(services.recording.answer(case, key, describe(asked), self._turns))
        expected = self._claimed(entry, asked)
        try:
            return self._sent(entry, measure, asked, key)
        finally:
            services.budget.ended(expected)

    def _claimed(self, entry: Entry, asked: ProviderRequest) -> Expected:
        """What the call may use, once the budget has room for it.

        Raises:
            RunStopped: it never will.
        """
        budget, provider = self._services.budget, entry.provider
        expected = _NOTHING
        if budget.foresees and isinstance(provider, Foreseeable):
            expected = provider.expected(asked)
        while not budget.claim(expected):
            wait_for(asyncio.sleep(ROOM_S))
            self.tick()
        return expected

    def _sent(self, entry: Entry, measure: Measure, asked: ProviderRequest, key: str) -> Reply:
        services = self._services
        reply = entry.provider.call(asked)
        if isinstance(reply, Reply):
            self._keep(entry, measure, asked, key, _usable(reply))
            return reply
        services.answers.expect(key)
        try:
            answer = _usable(wait_for(self._in_time(reply)))
            self._keep(entry, measure, asked, key, answer)
        finally:
            services.answers.settled(key)
        return answer

    async def _in_time(self, reply: Awaitable[Reply]) -> Reply:
        left = self._deadline - time.perf_counter()
        try:
            async with asyncio.timeout(max(left, 0)):
                return await reply
        except TimeoutError:
            raise DeadlineExceeded(f"took longer than {self._services.case_seconds:g} s") from None

    def _keep(
        self, entry: Entry, measure: Measure, asked: ProviderRequest, key: str, reply: Reply
    ) -> None:
        if isinstance(reply.value, Unsettled):
            return
        services = self._services
        services.answers.keep(
            key,
            CachedAnswer(
                tagged(reply.value),
                entry.provider.vendor,
                measure.instrument.model,
                reply.model,
                services.clock.stamp(),
                reply.latency_ms or 0.0,
                entry.provider.mode,
                reply.input_tokens,
                reply.output_tokens,
                reply.cost,
                services.run_id,
                services.run_label,
                measure.member(reply.model, _rubric(asked)),
            ),
        )

    def _decided(self, decision: Decision, target: str) -> Value:
        answer = decision.targets[0]
        if decision.action is Action.DENY_ESCALATION:
            note = answer.note or decision.reason or "denied by human reviewer"
            if decision.how == "deny_stop" and not target.startswith(JUDGE_PREFIX):
                raise Stopped(note)
            return fail(note)
        if target.startswith(JUDGE_PREFIX):
            return PASS
        return untagged(answer.value) if answer.value is not None else "approved"


def recorded_case(section: Section, case_id: str) -> str:
    """How a stored run and its replay name a case."""
    return f"{section.suite}:{section.benchmark}:{case_id}"


class _Conversation:
    """Puts a conversation's name into the scope of the calls made inside it."""

    __slots__ = ("_name", "_token")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._token: Token[tuple[str, ...]] = _scope.set((*_scope.get(), self._name))

    def __exit__(self, *_: object) -> None:
        _scope.reset(self._token)


_EMBED_DRAFTS: Final = {
    "RateLimited": "provider rate-limited the request",
    "Timeout": "provider request timed out",
    "Refused": "provider refused the request: {}",
}


def _rubric(asked: ProviderRequest) -> str | None:
    """The rubric's own text, which belongs to the instrument."""
    if asked.template is not None:
        return asked.template
    rubric = asked.arguments.get("rubric")
    return rubric if asked.judge is not None and isinstance(rubric, str) else None


def _usable(reply: Reply) -> Reply:
    """A reply whose numbers can be stored and compared.

    Raises:
        ProviderFailure: one of them is infinite or none, such as a judge's ``SCORE: nan``.
    """
    if is_finite(reply.value):
        return reply
    from evaltui.providers.failures import Kind, failed

    raise failed(Kind.INVALID_REPLY, f"not a finite number: {display(reply.value)}", raw=reply.raw)


def _kept_value(found: CachedAnswer | None) -> Value | None:
    """The value of a cached answer; None when there is none or it cannot be read."""
    try:
        return None if found is None else untagged(found.value)
    except JsonError:
        return None
