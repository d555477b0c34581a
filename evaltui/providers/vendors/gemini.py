"""Google's Gemini API."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import Document, at, count_at, text_at
from evaltui.providers.vendors.wire import (
    Answer,
    Exchange,
    Post,
    Prompt,
    Received,
    Refusal,
    Vendor,
    no_answer,
    numbers,
)


def _path(prompt: Prompt, operation: str) -> str:
    return f"/models/{quote(prompt.model, safe='')}:{operation}"


def _write_chat(prompt: Prompt) -> Post:
    system, settings = prompt.system(), _settings(prompt)
    body = {
        "contents": _contents(prompt),
        "generationConfig": settings or None,
        "systemInstruction": None if system is None else {"parts": [{"text": system}]},
    }
    return Post(_path(prompt, "generateContent"), body)


def _settings(prompt: Prompt) -> dict[str, object]:
    settings = {
        "temperature": prompt.number("temperature"),
        "maxOutputTokens": prompt.whole("max_tokens"),
    }
    return {name: value for name, value in settings.items() if value is not None}


def _contents(prompt: Prompt) -> list[dict[str, object]]:
    turns = [
        ("model" if message.role == "assistant" else "user", [_text(message.text)])
        for message in prompt.spoken()
    ]
    if prompt.artifact is not None:
        if not turns:
            turns.append(("user", []))
        turns[-1][1].append(_inline(prompt))
    return [{"parts": parts, "role": role} for role, parts in turns]


def _text(text: str) -> dict[str, object]:
    return {"text": text}


def _inline(prompt: Prompt) -> dict[str, object]:
    artifact = prompt.artifact
    if artifact is None or not artifact.local or artifact.content is None:
        raise failed(Kind.UNSUPPORTED, "this vendor reads local image files only")
    if artifact.is_pdf:
        raise failed(Kind.UNSUPPORTED, "this vendor reads images, not PDF documents")
    data = base64.b64encode(artifact.content).decode()
    return {"inline_data": {"data": data, "mime_type": artifact.media_type}}


def _read_chat(received: Received) -> Answer:
    document = received.document()
    blocked = text_at(document, "promptFeedback", "blockReason")
    if blocked is not None:
        raise Refusal(f"blocked: {blocked}")
    candidate = at(document, "candidates", 0)
    if candidate is None:
        raise no_answer("response had no candidates", received)
    if at(candidate, "finishReason") == "SAFETY":
        raise Refusal("response withheld for safety")
    text = at(candidate, "content", "parts", 0, "text")
    if not isinstance(text, str):
        raise no_answer("response had no text part", received)
    return Answer(
        text,
        text_at(document, "modelVersion"),
        count_at(document, "usageMetadata", "promptTokenCount"),
        _output_tokens(document),
    )


def _output_tokens(document: Document) -> int | None:
    said = count_at(document, "usageMetadata", "candidatesTokenCount")
    thought = count_at(document, "usageMetadata", "thoughtsTokenCount")
    return None if said is None else said + (thought or 0)


def _write_embed(prompt: Prompt) -> Post:
    body = {"content": {"parts": [_text(prompt.first_text)]}}
    return Post(_path(prompt, "embedContent"), body)


def _read_embed(received: Received) -> Answer:
    return Answer(numbers(at(received.document(), "embedding", "values"), received))


def _auth(key: str) -> Mapping[str, str]:
    return {"x-goog-api-key": key}


_CHAT: Final = Exchange(_write_chat, _read_chat)

GEMINI: Final = Vendor(
    "gemini",
    {"chat": _CHAT, "vision": _CHAT, "embed": Exchange(_write_embed, _read_embed)},
    key_variable="GEMINI_API_KEY",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    model="gemini-1.5-flash",
    auth=_auth,
    check_path="/models",
)
