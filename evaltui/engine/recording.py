"""The call records of one case."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from evaltui.engine.carriers import Unsettled
from evaltui.engine.rendering import display
from evaltui.engine.tagging import tagged
from evaltui.models import CallRecord, FailureClass
from evaltui.providers.base import Instrument, ProviderFailure, ProviderRequest, Reply
from evaltui.store.records import CachedAnswer

DRAFT_KINDS: Final = {"Timeout": "timeout", "RateLimited": "rate_limit", "Refused": "refused"}
"""Kinds of failure that drafts stand for."""
DRAFT_CLASSES: Final = {
    "Timeout": FailureClass.INFRASTRUCTURE,
    "RateLimited": FailureClass.INFRASTRUCTURE,
    "Refused": FailureClass.FIXTURE,
}
"""A refusal is about what the case asks; asking again does not help."""


class CallLog:
    """Collects records in the order in which calls end; numbers count from 1."""

    def __init__(self, began: float, on_call: Callable[[CallRecord], None] | None) -> None:
        self.records: list[CallRecord] = []
        self._began = began
        self._on_call = on_call
        self._first_attempts: dict[tuple[str, str], int] = {}

    def hit(
        self,
        instrument: Instrument,
        asked: ProviderRequest,
        key: str,
        found: CachedAnswer,
        scope: tuple[str, ...],
    ) -> None:
        """Record an answer from the cache; model, time and cost are those of its origin."""
        self._add(
            asked,
            CallRecord(
                number=len(self.records) + 1,
                capability=asked.capability,
                provider=instrument.provider,
                vendor=found.vendor,
                model=found.model,
                answered_by=found.answered_by,
                cache_key=key,
                cache_hit=True,
                input=sent(asked),
                output=found.value,
                error=None,
                failure_class=None,
                kind=None,
                started_ms=self._since(time.perf_counter()),
                latency_ms=found.latency_ms,
                input_tokens=found.input_tokens,
                output_tokens=found.output_tokens,
                cost=found.cost,
                judge=asked.judge,
                judge_attempt=asked.attempt,
                parent=self._parent(asked),
                scope=" > ".join(scope),
            ),
        )

    def answered(
        self,
        instrument: Instrument,
        asked: ProviderRequest,
        key: str,
        reply: Reply,
        started: float,
        scope: tuple[str, ...],
    ) -> CallRecord:
        """Record an answer or a draft."""
        draft = reply.value if isinstance(reply.value, Unsettled) else None
        latency = reply.latency_ms
        record = CallRecord(
            number=len(self.records) + 1,
            capability=asked.capability,
            provider=instrument.provider,
            vendor=instrument.vendor,
            model=instrument.model,
            answered_by=reply.model,
            cache_key=key,
            cache_hit=False,
            input=sent(asked),
            output=tagged(reply.value),
            error=None if draft is None else display(draft),
            failure_class=None if draft is None else DRAFT_CLASSES[draft.variant],
            kind=None if draft is None else DRAFT_KINDS[draft.variant],
            started_ms=self._since(started),
            latency_ms=_elapsed(started) if latency is None else latency,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=reply.cost,
            raw=_text(reply.raw),
            altered=reply.altered,
            raw_request=_text(reply.sent),
            judge=asked.judge,
            judge_attempt=asked.attempt,
            parent=self._parent(asked),
            scope=" > ".join(scope),
            attempts=reply.attempts,
        )
        return self._add(asked, record)

    def failed(
        self,
        instrument: Instrument,
        asked: ProviderRequest,
        key: str,
        failure: ProviderFailure,
        started: float,
        scope: tuple[str, ...],
    ) -> None:
        """Record a call without a usable answer."""
        self._add(
            asked,
            CallRecord(
                number=len(self.records) + 1,
                capability=asked.capability,
                provider=instrument.provider,
                vendor=instrument.vendor,
                model=instrument.model,
                answered_by=None,
                cache_key=key,
                cache_hit=False,
                input=sent(asked),
                output=None,
                error=failure.message,
                failure_class=failure.failure_class,
                kind=failure.kind,
                started_ms=self._since(started),
                latency_ms=_elapsed(started),
                raw=_text(failure.raw),
                altered=failure.altered,
                judge=asked.judge,
                judge_attempt=asked.attempt,
                parent=self._parent(asked),
                scope=" > ".join(scope),
                attempts=failure.attempts,
            ),
        )

    def _add(self, asked: ProviderRequest, record: CallRecord) -> CallRecord:
        self.records.append(record)
        if asked.judge is not None and asked.attempt == 0:
            self._first_attempts[asked.judge, record.input[0][1]] = record.number
        if self._on_call is not None:
            self._on_call(record)
        return record

    def _parent(self, asked: ProviderRequest) -> int | None:
        if asked.judge is None or asked.attempt == 0:
            return None
        return self._first_attempts.get((asked.judge, display(asked.arguments["subject"])))

    def _since(self, moment: float) -> float:
        return round((moment - self._began) * 1000, 3)


def sent(asked: ProviderRequest) -> tuple[tuple[str, str], ...]:
    """What a call sent, as (role, text) pairs; of a judge subject and rubric."""
    if asked.judge is None:
        return tuple((message.role, message.text) for message in asked.messages)
    return (
        ("subject", display(asked.arguments["subject"])),
        (f"rubric {asked.judge}", display(asked.arguments["rubric"])),
    )


def _elapsed(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")
