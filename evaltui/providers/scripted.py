"""The ``scripted`` vendor: canned answers with delays and failures, for demos, tests and CI.

``evaltui.providers.answers`` says how answers are written. An entry names them in its parameters:
``answers`` is a JSONL file or an inline list, ``when_exhausted`` the default of its sequences::

    [providers.Writer]
    vendor = "scripted"
    chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from heapq import merge
from pathlib import Path
from typing import Final, cast, get_args

from evaltui.engine.carriers import RATE_LIMITED, TIMEOUT, Value, refused
from evaltui.errors import ConfigurationError
from evaltui.models import AttemptRecord, FailureClass, Mode
from evaltui.providers.answers import CannedReply, Exhausted, PlacedAnswer, read_answers
from evaltui.providers.base import ProviderFailure, ProviderRequest, Reply
from evaltui.providers.describing import describe, sent_text
from evaltui.providers.failures import failed, kind_of_status
from evaltui.providers.judging import read_verdict

CAPABILITIES: Final = frozenset(
    ("chat", "vision", "embed", "transcribe", "speak", "generate_image", "judge")
)


def scripted_provider(
    capability: str, model: str | None, params: Mapping[str, object], folder: Path, root: Path
) -> ScriptedProvider:
    """Build the entry of one capability; paths in ``params`` are relative to ``folder``.

    Raises:
        ConfigurationError: the answers cannot be read or used.
    """
    exhausted = params.get("when_exhausted", "error")
    if exhausted not in get_args(Exhausted):
        raise ConfigurationError(
            f"when_exhausted is {exhausted!r}", hint=f"use one of {', '.join(get_args(Exhausted))}"
        )
    answers = read_answers(params.get("answers"), folder, root)
    return ScriptedProvider(capability, model, answers, cast(Exhausted, exhausted))


class ScriptedProvider:
    """Answers one capability from canned answers.

    Turns of sequences are counted in the request's ``turns``, else for each case as long as the
    provider lives.
    """

    vendor: Final = "scripted"
    mode: Final = Mode.SCRIPTED

    def __init__(
        self,
        capability: str,
        model: str | None,
        answers: Sequence[PlacedAnswer],
        when_exhausted: Exhausted = "error",
    ) -> None:
        self.capability = capability
        self.model = model
        self.when_exhausted: Exhausted = when_exhausted
        self._answers = answers
        self._turns: dict[str, Counter[object]] = defaultdict(Counter)
        self._by_case: dict[str, list[int]] = defaultdict(list)
        self._for_any_case: list[int] = []
        for number, placed in enumerate(answers):
            case = placed.answer.case
            (self._for_any_case if case is None else self._by_case[case]).append(number)

    def supports(self, capability: str) -> bool:
        return capability == self.capability

    def call(self, request: ProviderRequest) -> Reply | Awaitable[Reply]:
        """The next canned answer for this call, after its delay.

        Raises:
            ProviderFailure: no answer is meant for the call, the sequence is used up, or the answer
                is a failure.
        """
        reply = self._next(request)
        if reply.delay_ms > 0:
            return _after_delay(reply, request)
        return _delivered(reply, request)

    def fingerprint(self, request: ProviderRequest) -> str:
        """Digest of the canned answer meant for the call; empty when there is none."""
        number = self._match(request)
        return "" if number is None else self._answers[number].digest

    def passed_over(self, request: ProviderRequest) -> None:
        """Note that a cached answer served the call, so that sequences keep their places."""
        number = self._match(request)
        if number is not None:
            self._turn(number, request)

    def _candidates(self, case_id: str) -> Iterator[int]:
        own = self._by_case.get(case_id)
        return merge(own, self._for_any_case) if own else iter(self._for_any_case)

    def _match(self, request: ProviderRequest) -> int | None:
        for number in self._candidates(request.case_id):
            if _is_for(self._answers[number], request):
                return number
        return None

    def _next(self, request: ProviderRequest) -> CannedReply:
        number = self._match(request)
        if number is None:
            raise ProviderFailure(
                FailureClass.FIXTURE,
                "no_answer",
                f"no scripted answer for {describe(request)}",
                "add an answer for it to the answers of the scripted provider",
            )
        answer = self._answers[number].answer
        if not answer.sequence:
            return answer
        return self._reply_of(self._answers[number], self._turn(number, request), request)

    def _turn(self, number: int, request: ProviderRequest) -> int:
        """How often this answer was given before; counts this time."""
        turns = self._turns[request.case_id] if request.turns is None else request.turns
        turns[self, number] += 1
        return turns[self, number] - 1

    def _reply_of(self, placed: PlacedAnswer, turn: int, request: ProviderRequest) -> CannedReply:
        replies = placed.answer.sequence
        if turn < len(replies):
            return replies[turn]
        exhausted = placed.answer.when_exhausted or self.when_exhausted
        if exhausted == "repeat_last":
            return replies[-1]
        if exhausted == "cycle":
            return replies[turn % len(replies)]
        raise ProviderFailure(
            FailureClass.FIXTURE,
            "answers_exhausted",
            f"the {len(replies)} scripted answers at {placed.place} are used up "
            f"by {describe(request)}",
            "add answers to the sequence, or set when_exhausted",
        )


def _is_for(placed: PlacedAnswer, request: ProviderRequest) -> bool:
    answer = placed.answer
    if answer.capability is not None and answer.capability != request.capability:
        return False
    if answer.judge is not None and answer.judge != request.judge:
        return False
    if answer.subject is not None:
        subject = request.arguments.get("subject")
        if not isinstance(subject, str) or answer.subject not in subject:
            return False
    texts = answer.texts
    if not texts:
        return True
    sent = sent_text(request)
    return all(text in sent for text in texts)


async def _after_delay(reply: CannedReply, request: ProviderRequest) -> Reply:
    import asyncio

    wait = reply.delay_ms / 1000
    if request.timeout_s is not None and wait > request.timeout_s:
        await asyncio.sleep(request.timeout_s)
        return Reply(TIMEOUT, latency_ms=request.timeout_s * 1000)
    await asyncio.sleep(wait)
    return _delivered(reply, request)


def _delivered(reply: CannedReply, request: ProviderRequest) -> Reply:
    if reply.malformed is not None:
        raise _malformed(reply, reply.malformed.encode("utf-8", "replace"))
    if reply.status is not None and reply.status != 429:
        raise _http_failure(reply, reply.status)
    status = reply.status or (None if reply.timeout else 200)
    return Reply(
        _value(reply, request),
        model=reply.model,
        latency_ms=reply.delay_ms,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost=reply.cost,
        attempts=(AttemptRecord(1, status, 0.0, reply.delay_ms),),
    )


def _value(reply: CannedReply, request: ProviderRequest) -> Value:
    if reply.timeout:
        return TIMEOUT
    if reply.status == 429:
        return RATE_LIMITED
    if reply.refusal is not None:
        return refused(reply.refusal)
    if reply.verdict is not None:
        return read_verdict(reply.verdict) if request.judge else reply.verdict
    if reply.text is not None:
        return read_verdict(reply.text) if request.judge else reply.text
    if request.capability == "embed" and isinstance(reply.json_value, list):
        return [float(number) for number in reply.json_value if isinstance(number, int | float)]
    return json.dumps(reply.json_value, ensure_ascii=False)


def _http_failure(reply: CannedReply, status: int) -> ProviderFailure:
    """What a live vendor's status would mean."""
    message = f"HTTP {status}" + (f": {reply.message}" if reply.message else "")
    failure = failed(kind_of_status(status, (reply.message or "").encode()), message)
    failure.attempts = (AttemptRecord(1, status, 0.0, reply.delay_ms, error=message),)
    return failure


def _malformed(reply: CannedReply, raw: bytes) -> ProviderFailure:
    digest = hashlib.sha256(raw).hexdigest()
    message = "the reply is not what the vendor promises"
    return ProviderFailure(
        FailureClass.MALFORMED,
        "invalid_reply",
        f"{message}: {reply.malformed!r:.60}",
        "look at the raw reply (evaltui trace), then fix the adapter or the gateway",
        raw=raw,
        attempts=(AttemptRecord(1, 200, 0.0, reply.delay_ms, error=message, bytes_digest=digest),),
    )
