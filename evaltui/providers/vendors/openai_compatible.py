"""The wire of OpenAI and of everybody who speaks it; Azure differs in paths and header."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from evaltui.providers.base import ProviderFailure
from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import at, count_at, text_at
from evaltui.providers.vendors.wire import (
    Answer,
    Exchange,
    Post,
    Prompt,
    Received,
    Refusal,
    Upload,
    Vendor,
    no_answer,
    numbers,
)

_KEPT_ROLES: Final = ("system", "assistant")
_API_VERSION: Final = "2024-06-01"


def _chat_body(prompt: Prompt) -> dict[str, object]:
    return {
        "messages": _messages(prompt),
        "model": prompt.model,
        "temperature": prompt.number("temperature"),
        "max_tokens": prompt.whole("max_tokens"),
        "top_p": prompt.number("top_p"),
    }


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
        text = {"type": "text", "text": sent[-1]["content"]}
        sent[-1]["content"] = [text, {"type": "image_url", "image_url": {"url": _image(prompt)}}]
    return sent


def _image(prompt: Prompt) -> str:
    artifact = prompt.artifact
    assert artifact is not None
    if artifact.is_pdf:
        raise _no_pdf()
    if artifact.content is None or not artifact.local:
        return artifact.reference
    return f"data:{artifact.media_type};base64,{base64.b64encode(artifact.content).decode()}"


def _no_pdf() -> ProviderFailure:
    return failed(Kind.UNSUPPORTED, "this vendor reads images, not PDF documents")


def _write_chat(prompt: Prompt) -> Post:
    return Post("/chat/completions", _chat_body(prompt))


def _read_chat(received: Received) -> Answer:
    document = received.document()
    choice = at(document, "choices", 0)
    if choice is None:
        raise no_answer("response had no `choices`", received)
    refusal = text_at(choice, "message", "refusal")
    if at(choice, "finish_reason") == "content_filter" or (refusal and received.strict):
        raise Refusal(refusal or "content filtered by provider")
    content = at(choice, "message", "content")
    if not isinstance(content, str):
        raise no_answer("response had no message content", received)
    return Answer(
        content,
        text_at(document, "model"),
        count_at(document, "usage", "prompt_tokens"),
        count_at(document, "usage", "completion_tokens"),
    )


def _write_embed(prompt: Prompt) -> Post:
    return Post("/embeddings", {"input": prompt.first_text, "model": prompt.model})


def _read_embed(received: Received) -> Answer:
    document = received.document()
    return Answer(
        numbers(at(document, "data", 0, "embedding"), received),
        text_at(document, "model"),
        count_at(document, "usage", "prompt_tokens"),
        0,
    )


def _write_transcribe(prompt: Prompt) -> Upload:
    artifact = prompt.artifact
    assert artifact is not None
    if artifact.content is None:
        raise failed(Kind.UNSUPPORTED, "transcribe needs a file, not an address")
    name = artifact.reference.rpartition("/")[2] if artifact.local else "audio"
    fields = {"model": prompt.model}
    return Upload(
        "/audio/transcriptions", fields, name, "application/octet-stream", artifact.content
    )


def _read_transcribe(received: Received) -> Answer:
    document = received.document()
    text = at(document, "text")
    if not isinstance(text, str):
        raise no_answer("response had no `text`", received)
    return Answer(text)


def _write_speak(prompt: Prompt) -> Post:
    spoken = " ".join(message.text for message in prompt.messages)
    body = {"input": spoken, "model": prompt.model, "voice": prompt.text("voice", "alloy")}
    return Post("/audio/speech", body, once=True)


def _read_speak(received: Received) -> Answer:
    kind = received.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not received.body or (received.strict and kind in ("text/html", "application/json")):
        raise no_answer("response had no audio", received)
    return Answer(file=received.body)


def _write_image(prompt: Prompt) -> Post:
    text = " ".join(message.text for message in prompt.messages)
    return Post("/images/generations", {"model": prompt.model, "n": 1, "prompt": text}, once=True)


def _read_image(received: Received) -> Answer:
    image = at(received.document(), "data", 0)
    coded, address = text_at(image, "b64_json"), text_at(image, "url")
    if coded is not None:
        try:
            return Answer(file=base64.b64decode(coded, validate=True))
        except binascii.Error as error:
            raise no_answer(
                f"response had an image that is not base64: {error}", received
            ) from None
    if address is None:
        raise no_answer("response had no image", received)
    return Answer(fetch=address)


_CHAT: Final = Exchange(_write_chat, _read_chat)
_EMBED: Final = Exchange(_write_embed, _read_embed)

OPENAI_COMPATIBLE: Final = Vendor(
    "openai_compatible",
    {
        "chat": _CHAT,
        "vision": _CHAT,
        "embed": _EMBED,
        "transcribe": Exchange(_write_transcribe, _read_transcribe),
        "speak": Exchange(_write_speak, _read_speak, ".mp3"),
        "generate_image": Exchange(_write_image, _read_image, ".png"),
    },
    needs_base_url=True,
    check_path="/models",
)

OPENAI: Final = replace(
    OPENAI_COMPATIBLE,
    name="openai",
    key_variable="OPENAI_API_KEY",
    base_url="https://api.openai.com/v1",
    model="gpt-4o-mini",
    needs_base_url=False,
)

GROQ: Final = replace(
    OPENAI,
    name="groq",
    key_variable="GROQ_API_KEY",
    base_url="https://api.groq.com/openai/v1",
    model="llama-3.3-70b-versatile",
)


def _azure_path(prompt: Prompt, operation: str) -> str:
    version = quote(prompt.api_version or _API_VERSION, safe="")
    deployment = quote(prompt.model, safe="")
    return f"/openai/deployments/{deployment}/{operation}?api-version={version}"


def _write_azure_chat(prompt: Prompt) -> Post:
    body = _chat_body(prompt)
    del body["model"]
    return Post(_azure_path(prompt, "chat/completions"), body)


def _write_azure_embed(prompt: Prompt) -> Post:
    return Post(_azure_path(prompt, "embeddings"), {"input": prompt.first_text})


def _azure_auth(key: str) -> Mapping[str, str]:
    return {"api-key": key}


_AZURE_CHAT: Final = Exchange(_write_azure_chat, _read_chat)

AZURE_OPENAI: Final = Vendor(
    "azure_openai",
    {
        "chat": _AZURE_CHAT,
        "vision": _AZURE_CHAT,
        "embed": Exchange(_write_azure_embed, _read_embed),
    },
    key_variable="AZURE_OPENAI_API_KEY",
    auth=_azure_auth,
    needs_base_url=True,
    needs_model=True,
    hosts=("*.openai.azure.com", "*.cognitiveservices.azure.com"),
)
