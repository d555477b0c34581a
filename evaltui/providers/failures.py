"""Why a call has no usable answer: kinds, their classes, and what to do next.

Kinds of class ``infrastructure`` say nothing about the suite, ``malformed`` ones that request or
reply broke the vendor's contract, ``fixture`` ones that the case itself cannot be answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from evaltui.models import FailureClass
from evaltui.providers.base import ProviderFailure


class Kind(StrEnum):
    """Finer than the failure class; the values are stored and shown."""

    AUTH = "auth"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    NETWORK = "network"
    TLS = "tls"
    REDIRECT = "redirect"
    SERVER = "server"
    GENERATION = "generation_failed"
    UNKNOWN_MODEL = "unknown_model"
    BREAKER = "breaker_open"
    NOT_JSON = "not_json"
    INVALID_REPLY = "invalid_reply"
    TOO_LARGE = "too_large"
    REJECTED = "rejected"
    SECRET = "secret"
    REFUSED = "refused"
    CONTEXT = "context_too_long"
    FILE = "io_error"
    UNSUPPORTED = "unsupported"


class _Rule(Struct, frozen=True):
    failure_class: FailureClass
    next_action: str
    stop_run: bool = False


_INFRASTRUCTURE: Final = FailureClass.INFRASTRUCTURE
_MALFORMED: Final = FailureClass.MALFORMED
_FIXTURE: Final = FailureClass.FIXTURE

_LOOK: Final = "look at the raw reply (evaltui trace), then fix the adapter or the gateway"

_RULES: Final[Mapping[Kind, _Rule]] = {
    Kind.AUTH: _Rule(_INFRASTRUCTURE, "check the key and its permissions, then --resume", True),
    Kind.QUOTA: _Rule(_INFRASTRUCTURE, "check the account's plan and limits, then --resume", True),
    Kind.RATE_LIMIT: _Rule(
        _INFRASTRUCTURE, "lower requests_per_minute or concurrency in [limits], then --resume"
    ),
    Kind.TIMEOUT: _Rule(_INFRASTRUCTURE, "run it again, or raise timeout_s in [limits]"),
    Kind.NETWORK: _Rule(_INFRASTRUCTURE, "check the connection and base_url, then --resume"),
    Kind.TLS: _Rule(_INFRASTRUCTURE, "check the certificate of base_url", True),
    Kind.REDIRECT: _Rule(_INFRASTRUCTURE, "set base_url to the address that really answers", True),
    Kind.SERVER: _Rule(_INFRASTRUCTURE, "wait for the vendor to recover, then --resume"),
    Kind.GENERATION: _Rule(_INFRASTRUCTURE, "run it again"),
    Kind.UNKNOWN_MODEL: _Rule(_INFRASTRUCTURE, "check model and base_url"),
    Kind.BREAKER: _Rule(_INFRASTRUCTURE, "wait for the vendor to recover, then --resume"),
    Kind.NOT_JSON: _Rule(_MALFORMED, _LOOK),
    Kind.INVALID_REPLY: _Rule(_MALFORMED, _LOOK),
    Kind.TOO_LARGE: _Rule(_MALFORMED, "check that base_url is the vendor's API"),
    Kind.REJECTED: _Rule(_MALFORMED, "check the entry's parameters and what the case sends"),
    Kind.SECRET: _Rule(_MALFORMED, "find out how the key reached the model, and replace it"),
    Kind.REFUSED: _Rule(_FIXTURE, "look at the prompt: the model declined to answer"),
    Kind.CONTEXT: _Rule(_FIXTURE, "shorten what the case sends, or choose another model"),
    Kind.FILE: _Rule(_FIXTURE, "mend the file it names"),
    Kind.UNSUPPORTED: _Rule(_FIXTURE, "choose a vendor that has this capability"),
}


def failed(kind: Kind, message: str, *, raw: bytes | None = None) -> ProviderFailure:
    """A failure with the class and the next action of its kind."""
    rule = _RULES[kind]
    return ProviderFailure(
        rule.failure_class,
        str(kind),
        message,
        rule.next_action,
        raw=raw,
        stop_run=rule.stop_run,
    )


def class_of(kind: str) -> FailureClass | None:
    """The failure class of a kind; None for one that is not of a provider."""
    return _RULES[Kind(kind)].failure_class if kind in set(Kind) else None


_CONTEXT_SIGNS: Final = (
    "context_length_exceeded",
    "maximum context length",
    "max_tokens_exceeded",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the maximum number of tokens",
    "context window",
)
_POLICY_SIGNS: Final = (
    "content_policy",
    "content_filter",
    "content management policy",
    "responsibleaipolicyviolation",
    "safety system",
)
_QUOTA_SIGNS: Final = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")


def kind_of_status(status: int, body: bytes) -> Kind:
    """What a status above 399 means; 400 to 429 may need a look at the body."""
    if status in (401, 403):
        return Kind.AUTH
    if status == 402:
        return Kind.QUOTA
    if status == 404:
        return Kind.UNKNOWN_MODEL
    if status == 408:
        return Kind.TIMEOUT
    if status == 413:
        return Kind.CONTEXT
    if status == 429:
        return Kind.QUOTA if _has(body, _QUOTA_SIGNS) else Kind.RATE_LIMIT
    if status >= 500 or status in (409, 425):
        return Kind.SERVER
    if _has(body, _CONTEXT_SIGNS):
        return Kind.CONTEXT
    return Kind.REFUSED if _has(body, _POLICY_SIGNS) else Kind.REJECTED


def _has(body: bytes, signs: tuple[str, ...]) -> bool:
    text = body[:65536].decode("utf-8", "replace").lower()
    return any(sign in text for sign in signs)
