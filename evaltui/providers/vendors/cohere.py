"""Cohere's chat and embed APIs."""

from __future__ import annotations

from typing import Final

from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import Document, at, count_at
from evaltui.providers.vendors.wire import (
    Answer,
    Exchange,
    Post,
    Prompt,
    Received,
    Vendor,
    no_answer,
    numbers,
)

_KEPT_ROLES: Final = ("system", "assistant")


def _write_chat(prompt: Prompt) -> Post:
    messages = [
        {
            "role": message.role if message.role in _KEPT_ROLES else "user",
            "content": message.text,
        }
        for message in prompt.messages
    ]
    body = {
        "messages": messages,
        "model": prompt.model,
        "temperature": prompt.number("temperature"),
        "max_tokens": prompt.whole("max_tokens"),
    }
    return Post("/v2/chat", body)


def _read_chat(received: Received) -> Answer:
    document = received.document()
    if at(document, "finish_reason") == "ERROR":
        raise failed(Kind.GENERATION, "provider reported finish_reason=ERROR", raw=received.body)
    text = at(document, "message", "content", 0, "text")
    if not isinstance(text, str):
        raise no_answer("response had no text content", received)
    return Answer(text, None, *_usage(document))


def _usage(document: Document) -> tuple[int | None, int | None]:
    for part in ("tokens", "billed_units"):
        used = at(document, "usage", part)
        if used is not None:
            return count_at(used, "input_tokens"), count_at(used, "output_tokens")
    return None, None


def _write_embed(prompt: Prompt) -> Post:
    body = {
        "input_type": "search_document",
        "model": prompt.model,
        "texts": [prompt.first_text],
    }
    return Post("/v1/embed", body)


def _read_embed(received: Received) -> Answer:
    return Answer(numbers(at(received.document(), "embeddings", 0), received))


COHERE: Final = Vendor(
    "cohere",
    {
        "chat": Exchange(_write_chat, _read_chat),
        "embed": Exchange(_write_embed, _read_embed),
    },
    key_variable="COHERE_API_KEY",
    base_url="https://api.cohere.com",
    model="command-r",
    hosts=("api.cohere.ai",),
    check_path="/v1/models",
)
