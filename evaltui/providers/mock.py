"""The deterministic mock provider (runtime specification 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from evaltui.engine.carriers import ESCALATE, PASS, TIMEOUT, Value, fail
from evaltui.engine.effects import Message
from evaltui.models import Mode
from evaltui.providers.base import Provider, ProviderRequest, Reply

CAPABILITIES: Final = frozenset(
    ("chat", "vision", "embed", "transcribe", "speak", "generate_image", "judge")
)
MAX_ECHO_BYTES: Final = 200
"""Longer requests are cut at the last whole character within this many UTF-8 bytes."""

_FIXED: Final = {
    "transcribe": "[mock transcription]",
    "speak": "[mock audio artifact]",
    "generate_image": "[mock image artifact]",
}
_DIMENSIONS: Final = 8


class MockProvider:
    """Answers at once and without a network, always alike."""

    vendor: Final = "mock"
    model: Final = None
    mode: Final = Mode.MOCK

    def __init__(self, capabilities: frozenset[str] = CAPABILITIES) -> None:
        self._capabilities = capabilities

    def supports(self, capability: str) -> bool:
        """Whether the entry claims ``capability``."""
        return capability in self._capabilities

    def call(self, request: ProviderRequest) -> Reply:
        """The answer to a request; ``MOCK_...`` markers in it ask for other outcomes."""
        return Reply(_answer(request))


class MadeUp:
    """Stands for a provider that is not asked: same names, answers of the mock."""

    def __init__(self, provider: Provider) -> None:
        self.vendor = provider.vendor
        self.model = provider.model
        self.mode = provider.mode
        self.supports = provider.supports

    def call(self, request: ProviderRequest) -> Reply:
        """What the mock would say."""
        return Reply(_answer(request))


def _answer(request: ProviderRequest) -> Value:
    capability = request.capability
    if capability == "judge":
        return _judge(request.arguments.get("subject"))
    if capability == "embed":
        return _embed(request.messages[0].text if request.messages else "")
    if capability in _FIXED:
        return _FIXED[capability]
    return _echo(capability, request.messages)


def _echo(capability: str, messages: Sequence[Message]) -> Value:
    joined = " | ".join([f"{message.role}: {message.text}" for message in messages])
    if "MOCK_TIMEOUT" in joined:
        return TIMEOUT
    return f"[mock:{capability}] response to -> {_cut(joined)}"


def _cut(text: str) -> str:
    if len(text) * 4 <= MAX_ECHO_BYTES:
        return text
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= MAX_ECHO_BYTES:
        return text
    return encoded[:MAX_ECHO_BYTES].decode("utf-8", "ignore") + "..."


def _embed(text: str) -> Value:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return [ord(digit) / 255 * 2 - 1 for digit in digest[:_DIMENSIONS]]


def _judge(subject: Value | None) -> Value:
    if not isinstance(subject, str) or not subject:
        return fail("subject is empty")
    if "MOCK_JUDGE_FAIL" in subject:
        return fail("subject contained the MOCK_JUDGE_FAIL marker")
    return ESCALATE if "MOCK_JUDGE_ESCALATE" in subject else PASS
