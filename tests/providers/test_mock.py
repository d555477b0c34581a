"""The deterministic mock provider."""

from __future__ import annotations

import pytest

from evaltui.engine.effects import Message
from evaltui.engine.values import ESCALATE, PASS, TIMEOUT, Value, fail
from evaltui.providers.base import ProviderRequest
from evaltui.providers.mock import MockProvider


def ask(capability: str, *texts: str, subject: Value = "") -> Value:
    messages = tuple(Message("user", text) for text in texts)
    request = ProviderRequest(capability, messages, {"subject": subject, "rubric": "r"})
    return MockProvider().call(request).value


def test_chat_echoes_all_messages() -> None:
    messages = (Message("system", "be brief"), Message("user", "hi"))
    reply = MockProvider().call(ProviderRequest("vision", messages, {}))
    assert reply.value == "[mock:vision] response to -> system: be brief | user: hi"
    assert ask("chat") == "[mock:chat] response to -> "
    assert ask("chat", "a", "MOCK_TIMEOUT") == TIMEOUT


def test_long_requests_are_cut_at_a_whole_character() -> None:
    head = "[mock:chat] response to -> user: "
    assert ask("chat", "x" * 194) == head + "x" * 194
    assert ask("chat", "x" * 195) == head + "x" * 194 + "..."
    assert ask("chat", "x" * 193 + "é") == head + "x" * 193 + "..."


@pytest.mark.parametrize(
    ("subject", "verdict"),
    [
        ("", fail("subject is empty")),
        (3, fail("subject is empty")),
        ("a MOCK_JUDGE_FAIL", fail("subject contained the MOCK_JUDGE_FAIL marker")),
        ("MOCK_JUDGE_ESCALATE", ESCALATE),
        ("fine", PASS),
    ],
)
def test_judging(subject: Value, verdict: Value) -> None:
    assert ask("judge", subject=subject) == verdict


def test_other_capabilities() -> None:
    assert ask("transcribe") == "[mock transcription]"
    assert ask("speak") == "[mock audio artifact]"
    assert ask("generate_image") == "[mock image artifact]"
    assert ask("embed", "abc", "ignored") == [
        *[-0.2313725490196078, -0.23921568627450984, -0.5686274509803921, -0.5607843137254902],
        *[-0.615686274509804, -0.5764705882352941, -0.2313725490196078, -0.19999999999999996],
    ]
    assert MockProvider(frozenset(("chat",))).supports("chat")
    assert not MockProvider(frozenset(("chat",))).supports("judge")
