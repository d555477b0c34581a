"""Anthropic's Messages API."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final

from evaltui.providers.json_reply import at, count_at, text_at
from evaltui.providers.vendors.wire import (
    Answer,
    Artifact,
    Exchange,
    Post,
    Prompt,
    Received,
    Refusal,
    Vendor,
    no_answer,
)

_MAX_TOKENS: Final = 1024


def _write(prompt: Prompt) -> Post:
    limit = prompt.whole("max_tokens")
    body = {
        "max_tokens": _MAX_TOKENS if limit is None else limit,
        "messages": _messages(prompt),
        "model": prompt.model,
        "system": prompt.system(),
        "temperature": prompt.number("temperature"),
    }
    return Post("/messages", body)


def _messages(prompt: Prompt) -> list[dict[str, object]]:
    sent: list[dict[str, object]] = [
        {
            "role": "assistant" if message.role == "assistant" else "user",
            "content": message.text,
        }
        for message in prompt.spoken()
    ]
    if prompt.artifact is not None:
        block = _block(prompt.artifact)
        if not sent:
            sent.append({"role": "user", "content": [block]})
        else:
            sent[-1]["content"] = [{"type": "text", "text": sent[-1]["content"]}, block]
    return sent


def _block(artifact: Artifact) -> dict[str, object]:
    kind = "document" if artifact.is_pdf else "image"
    if artifact.content is None:
        return {"type": kind, "source": {"type": "url", "url": artifact.reference}}
    data = base64.b64encode(artifact.content).decode()
    source = {"type": "base64", "media_type": artifact.media_type, "data": data}
    return {"type": kind, "source": source}


def _read(received: Received) -> Answer:
    document = received.document()
    text = at(document, "content", 0, "text")
    if at(document, "stop_reason") == "refusal":
        raise Refusal("model declined to answer")
    if not isinstance(text, str):
        raise no_answer("response had no text content", received)
    return Answer(
        text,
        text_at(document, "model"),
        count_at(document, "usage", "input_tokens"),
        count_at(document, "usage", "output_tokens"),
    )


def _auth(key: str) -> Mapping[str, str]:
    return {"x-api-key": key}


_CHAT: Final = Exchange(_write, _read)

ANTHROPIC: Final = Vendor(
    "anthropic",
    {"chat": _CHAT, "vision": _CHAT},
    key_variable="ANTHROPIC_API_KEY",
    base_url="https://api.anthropic.com/v1",
    model="claude-3-5-sonnet-20241022",
    auth=_auth,
    headers={"anthropic-version": "2023-06-01"},
    check_path="/models",
)
