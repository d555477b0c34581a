"""Ollama, a server of local models; it has no keys."""

from __future__ import annotations

import base64
from typing import Final

from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import at, count_at, text_at
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
    options = {
        "temperature": prompt.number("temperature"),
        "num_predict": prompt.whole("max_tokens"),
    }
    given = {name: value for name, value in options.items() if value is not None}
    body = {
        "messages": _messages(prompt),
        "model": prompt.model,
        "options": given or None,
        "stream": False,
    }
    return Post("/api/chat", body)


def _messages(prompt: Prompt) -> list[dict[str, object]]:
    sent: list[dict[str, object]] = [
        {
            "role": message.role if message.role in _KEPT_ROLES else "user",
            "content": message.text,
        }
        for message in prompt.messages
    ]
    if prompt.artifact is not None:
        if not sent:
            sent.append({"role": "user", "content": ""})
        sent[-1]["images"] = [_image(prompt)]
    return sent


def _image(prompt: Prompt) -> str:
    artifact = prompt.artifact
    if artifact is None or not artifact.local or artifact.content is None:
        raise failed(Kind.UNSUPPORTED, "this vendor reads local image files only")
    if artifact.is_pdf:
        raise failed(Kind.UNSUPPORTED, "this vendor reads images, not PDF documents")
    return base64.b64encode(artifact.content).decode()


def _read_chat(received: Received) -> Answer:
    document = received.document()
    text = at(document, "message", "content")
    if not isinstance(text, str):
        raise no_answer("response had no message content", received)
    return Answer(
        text,
        text_at(document, "model"),
        count_at(document, "prompt_eval_count"),
        count_at(document, "eval_count"),
    )


def _write_embed(prompt: Prompt) -> Post:
    return Post("/api/embeddings", {"model": prompt.model, "prompt": prompt.first_text})


def _read_embed(received: Received) -> Answer:
    return Answer(numbers(at(received.document(), "embedding"), received))


_CHAT: Final = Exchange(_write_chat, _read_chat)

OLLAMA: Final = Vendor(
    "ollama",
    {"chat": _CHAT, "vision": _CHAT, "embed": Exchange(_write_embed, _read_embed)},
    base_url="http://localhost:11434",
    model="llama3",
    auth=None,
    check_path="/api/tags",
)
