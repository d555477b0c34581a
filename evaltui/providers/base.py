"""What a provider is: something that answers requests, at once or after a while."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, runtime_checkable

from msgspec import Struct, field

from evaltui.engine.effects import Message
from evaltui.engine.values import Value
from evaltui.models import AttemptRecord, FailureClass, Mode


class ProviderRequest(Struct, frozen=True):
    """One call as a provider receives it. ``timeout_s`` bounds it; ``case_id`` is a label only.

    ``turns`` lives as long as one execution of a case: canned providers count in it how often they
    gave an answer.
    """

    capability: str
    messages: tuple[Message, ...]
    arguments: Mapping[str, Value]
    judge: str | None = None
    attempt: int = 0
    case_id: str = ""
    timeout_s: float | None = None
    turns: Counter[object] | None = None
    template: str | None = None
    """The judge's rubric with its placeholders, where the one sent was filled in."""


class Reply(Struct, frozen=True):
    """An answer. ``value`` may be an Unsettled draft (refused, rate limited, timed out)."""

    value: Value
    model: str | None = None
    """The model that answered, when the reply says so."""
    latency_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    raw: bytes | None = None
    """The reply as received, where it is kept; ``altered`` when secrets were taken out of it."""
    attempts: tuple[AttemptRecord, ...] = ()
    altered: bool = False
    sent: bytes | None = None
    """The body of the request, where exchanges are recorded."""


@dataclass
class ProviderFailure(Exception):
    """No usable answer came; says which kind of failure and what to do next."""

    failure_class: FailureClass
    kind: str
    message: str
    next_action: str = ""
    raw: bytes | None = None
    attempts: tuple[AttemptRecord, ...] = ()
    stop_run: bool = False
    """Authentication: no further call can succeed."""
    retry_after_s: float | None = None
    """How long the provider asked to wait."""
    altered: bool = False
    """Secrets were taken out of ``raw``."""

    def __str__(self) -> str:
        return self.message


class Provider(Protocol):
    """One configured provider entry."""

    @property
    def vendor(self) -> str:
        """The vendor id that cache keys, traces and instruments name."""
        ...

    @property
    def model(self) -> str | None:
        """The configured model."""
        ...

    @property
    def mode(self) -> Mode: ...

    def supports(self, capability: str) -> bool: ...

    def call(self, request: ProviderRequest) -> Reply | Awaitable[Reply]:
        """Answer at once, or hand back something to wait for.

        Raises (at once or when awaited):
            ProviderFailure: there is no usable answer.
        """
        ...


class Expected(Struct, frozen=True):
    """About what a request will use; a cost of None is not known."""

    tokens: int = 0
    cost: Decimal | None = None


@runtime_checkable
class Foreseeable(Protocol):
    """A provider that can say before a call what it will use."""

    def expected(self, request: ProviderRequest) -> Expected:
        """About what a request will use."""
        ...


@runtime_checkable
class Canned(Protocol):
    """A provider whose answers depend on more than the request."""

    def fingerprint(self, request: ProviderRequest) -> str:
        """Digest of the answer meant for the request, for its cache key."""
        ...

    def passed_over(self, request: ProviderRequest) -> None:
        """Note that a cached answer served the request."""
        ...


class Instrument(Struct, frozen=True):
    """What identifies a provider entry as a measuring instrument (design glossary)."""

    provider: str
    vendor: str
    model: str | None
    base_url: str | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    contract: int = 1
