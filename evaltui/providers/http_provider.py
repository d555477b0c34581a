"""A configured entry of a vendor that is reached over HTTP."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from msgspec import structs

from evaltui.engine.carriers import RATE_LIMITED, TIMEOUT, Unsettled, Value, refused
from evaltui.engine.effects import Message
from evaltui.engine.tagging import tagged
from evaltui.models import AttemptRecord, Mode
from evaltui.providers.artifacts import ArtifactFolders
from evaltui.providers.base import Expected, ProviderFailure, ProviderRequest, Reply
from evaltui.providers.failures import Kind, failed, kind_of_status
from evaltui.providers.json_reply import error_json, error_text
from evaltui.providers.judging import judge_messages, read_verdict
from evaltui.providers.network import Network
from evaltui.providers.vendors.wire import (
    Answer,
    Exchange,
    Post,
    Prompt,
    Received,
    Refusal,
    Upload,
    Vendor,
)

if TYPE_CHECKING:
    from evaltui.providers.connections import Incoming, Outgoing

_WITH_FILE: Final = ("vision", "transcribe")
_CHARACTERS_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """One capability of one entry, with nothing left to look up."""

    name: str
    capability: str
    base_url: str
    model: str
    params: Mapping[str, object] = field(default_factory=dict)
    api_version: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the entries of a suite share."""

    network: Network
    folders: ArtifactFolders = field(default_factory=ArtifactFolders)


class HttpProvider:
    """Answers one capability over the network."""

    mode: Final = Mode.LIVE

    def __init__(
        self, vendor: Vendor, exchange: Exchange, settings: Settings, around: Surroundings
    ) -> None:
        self.vendor = vendor.name
        self.model: str | None = settings.model or None
        self._settings = settings
        self._exchange = exchange
        self._around = around
        self._rules = around.network.rules
        self._base = settings.base_url.rstrip("/")
        self._headers = dict(vendor.headers)
        if settings.key is not None and vendor.auth is not None:
            self._headers |= vendor.auth(settings.key)
        self._check_path = vendor.check_path
        self._through_chat = settings.capability == "judge" and "judge" not in vendor.exchanges

    def supports(self, capability: str) -> bool:
        """Whether the entry is for ``capability``."""
        return capability == self._settings.capability

    async def call(self, request: ProviderRequest) -> Reply:
        """Send the request and wait for the answer.

        Raises:
            ProviderFailure: there is none.
        """
        try:
            return await self._call(request)
        except ProviderFailure as failure:
            draft = self._draft(failure)
            if draft is None:
                raise self._cleaned(failure) from failure.__cause__
            return Reply(draft, attempts=failure.attempts)

    async def _call(self, request: ProviderRequest) -> Reply:
        prompt = self.prompt(request)
        outgoing = self.outgoing(prompt)

        def read(incoming: Incoming) -> Answer:
            return self._read(incoming, prompt)

        lane = self._around.network.lane(self._settings.name, self._lane_key)
        answered = await lane.send(outgoing, read, request.timeout_s)
        answer, incoming = answered.content, answered.reply
        if answer.input_tokens is not None:
            used = answer.input_tokens + (answer.output_tokens or 0)
            lane.pacer.correct(used - outgoing.tokens)
        value = await self._value(answer, request)
        self._check_secrets(value, incoming, answered.attempts)
        raw, sent, altered = None, None, False
        if self._around.network.record:
            raw, altered = self._kept(incoming.body)
            sent, _ = self._kept(outgoing.body)
        price = self._around.network.prices.price(self.vendor, answer.model, prompt.model)
        return Reply(
            value,
            model=answer.model,
            latency_ms=incoming.latency_ms,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost=price.cost(answer.input_tokens, answer.output_tokens) if price else None,
            raw=raw,
            altered=altered,
            sent=sent,
            attempts=answered.attempts,
        )

    async def check(self, within_s: float) -> float:
        """Ask for something that costs nothing, or for one token; answers the milliseconds.

        Raises:
            ProviderFailure: the vendor does not answer, or does not take the key.
        """
        try:
            if self._check_path is None:
                messages = (Message("user", "Hi"),)
                arguments: dict[str, Value] = {"max_tokens": 1}
                prompt = self.prompt(ProviderRequest("chat", messages, arguments))
                outgoing = self.outgoing(prompt)
            else:
                outgoing = self._check_request(self._check_path)
            lane = self._around.network.lane(self._settings.name, self._lane_key)
            answered = await lane.send(outgoing, self._checked, within_s)
        except ProviderFailure as failure:
            raise self._cleaned(failure) from failure.__cause__
        return answered.reply.latency_ms

    def _check_request(self, path: str) -> Outgoing:
        from evaltui.providers.connections import Outgoing

        return Outgoing(f"{self._base}{path}", self._headers, b"", "GET")

    def _checked(self, incoming: Incoming) -> None:
        if incoming.status >= 400:
            kind = kind_of_status(incoming.status, incoming.body)
            raise failed(kind, f"HTTP {incoming.status}: {error_text(incoming.body)}".rstrip(": "))

    @property
    def _lane_key(self) -> tuple[str, ...]:
        settings = self._settings
        shared = (settings.name, self.vendor, self._base, settings.key or "")
        return shared if self._rules.waits else (*shared, settings.capability)

    def expected(self, request: ProviderRequest) -> Expected:
        """About what a request will use, as far as that is known before it is sent."""
        try:
            prompt = self.prompt(request)
            tokens = self.outgoing(prompt).tokens
        except ProviderFailure:
            return Expected()
        limit = prompt.whole("max_tokens") or 0
        price = self._around.network.prices.price(self.vendor, prompt.model)
        return Expected(tokens, price.cost(tokens - limit, limit) if price else None)

    def prompt(self, request: ProviderRequest) -> Prompt:
        """The call as the vendor's file writes it.

        Raises:
            ProviderFailure: a file it names cannot be sent.
        """
        settings = self._settings
        judging = settings.capability == "judge"
        arguments = request.arguments
        messages = request.messages
        if self._through_chat:
            messages = judge_messages(arguments.get("subject", ""), arguments.get("rubric", ""))
        given = {} if judging else arguments
        asked = given.get("model")
        artifact = None
        if settings.capability in _WITH_FILE:
            artifact = self._around.folders.find(settings.capability, arguments)
        return Prompt(
            settings.capability,
            messages,
            asked if isinstance(asked, str) else settings.model,
            {**settings.params, **given},
            artifact,
            settings.api_version,
            arguments,
        )

    def outgoing(self, prompt: Prompt) -> Outgoing:
        """The request as it goes over the wire."""
        from evaltui.providers.connections import Outgoing

        written = self._exchange.write(prompt)
        body, kind = _encoded(written)
        limit = prompt.whole("max_tokens") or 0
        return Outgoing(
            f"{self._base}{written.path}",
            {**self._headers, "content-type": kind},
            body,
            once=isinstance(written, Post) and written.once,
            tokens=len(body) // _CHARACTERS_PER_TOKEN + limit,
        )

    def _read(self, incoming: Incoming, prompt: Prompt) -> Answer:
        if incoming.status >= 400:
            raise self._status_failure(incoming, prompt)
        received = Received(incoming.body, incoming.headers, prompt, self._rules.strict)
        try:
            return self._exchange.read(received)
        except Refusal as refusal:
            raise failed(Kind.REFUSED, refusal.reason, raw=incoming.body) from refusal

    def _status_failure(self, incoming: Incoming, prompt: Prompt) -> ProviderFailure:
        status, body = incoming.status, incoming.body
        if self._rules.drafts:
            return failed(_reference_kind(status), f"HTTP {status}: {error_json(body)}", raw=body)
        kind = kind_of_status(status, body)
        failure = failed(kind, f"HTTP {status}: {error_text(body)}".rstrip(": "), raw=body)
        if kind is Kind.UNKNOWN_MODEL:
            failure.stop_run = prompt.model == self._settings.model
        return failure

    async def _value(self, answer: Answer, request: ProviderRequest) -> Value:
        content = answer.file
        if answer.fetch is not None:
            content = await self._fetched(answer.fetch, request)
        if content is not None:
            return self._around.folders.keep(content, self._exchange.suffix)
        if self._through_chat and isinstance(answer.value, str):
            return read_verdict(answer.value)
        return answer.value

    def _check_secrets(
        self, value: Value, incoming: Incoming, attempts: tuple[AttemptRecord, ...]
    ) -> None:
        """Refuse an answer that holds a key: nothing made of it may be kept or shown."""
        if self._rules.drafts:
            return
        name = self._around.network.scanner.find_key(tagged(value))
        if name is not None:
            failure = failed(
                Kind.SECRET, f"the answer holds the value of {name}", raw=incoming.body
            )
            raise replace(failure, attempts=attempts)

    async def _fetched(self, address: str, request: ProviderRequest) -> bytes:
        """A generated file that the vendor only names; the key does not go there."""
        from evaltui.providers.connections import Outgoing

        if not address.startswith(("https://", f"{self._base}/")):
            raise failed(Kind.INVALID_REPLY, "the answer is at an address that is not https")
        lane = self._around.network.lane(self._settings.name, self._lane_key)

        def read(incoming: Incoming) -> bytes:
            if incoming.status >= 400 or not incoming.body:
                raise failed(Kind.SERVER, f"HTTP {incoming.status}: no file at the address given")
            return incoming.body

        answered = await lane.send(Outgoing(address, {}, b"", "GET"), read, request.timeout_s)
        return answered.content

    def _draft(self, failure: ProviderFailure) -> Unsettled | None:
        """The value that stands for a failure, where failures become values."""
        if not self._rules.drafts:
            return None
        if failure.kind == Kind.REFUSED:
            return refused(failure.message)
        return {Kind.TIMEOUT: TIMEOUT, Kind.RATE_LIMIT: RATE_LIMITED}.get(Kind(failure.kind))

    def _cleaned(self, failure: ProviderFailure) -> ProviderFailure:
        """The failure without secrets, for people and for the store."""
        scanner = self._around.network.scanner
        message = scanner.clean(failure.message)
        if failure.kind == Kind.REFUSED and not message.startswith("HTTP"):
            message = f"the model refused: {message}"
        raw, altered = (None, False) if failure.raw is None else self._kept(failure.raw)
        attempts = tuple(
            structs.replace(one, error=scanner.clean(one.error)) if one.error else one
            for one in failure.attempts
        )
        return replace(failure, message=message, raw=raw, altered=altered, attempts=attempts)

    def _kept(self, body: bytes) -> tuple[bytes, bool]:
        cleaned = self._around.network.scanner.clean_bytes(body)
        return cleaned, cleaned is not body


def _reference_kind(status: int) -> Kind:
    """What the reference makes of a status above 399."""
    if status == 429:
        return Kind.RATE_LIMIT
    return Kind.SERVER if status >= 500 else Kind.REJECTED


def _encoded(written: Post | Upload) -> tuple[bytes, str]:
    if isinstance(written, Upload):
        return _form(written)
    body = written.body
    if not isinstance(body, bytes):
        kept = {name: value for name, value in body.items() if value is not None}
        text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        body = text.encode("utf-8", "replace")
    return body, "application/json"


def _form(upload: Upload) -> tuple[bytes, str]:
    """A multipart form; its boundary depends on its content only."""
    boundary = f"evaltui-{hashlib.sha256(upload.content).hexdigest()[:32]}"
    lines: list[bytes] = []
    for name, value in upload.fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        lines.append(head.encode())
    file = upload.name.replace('"', "%22").replace("\r", "").replace("\n", "")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n'
        f"Content-Type: {upload.media_type}\r\n\r\n"
    )
    lines += [head.encode(), upload.content, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(lines), f"multipart/form-data; boundary={boundary}"
