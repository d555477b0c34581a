"""What each vendor's server says: answers, refusals and errors, by the path that was asked."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]

ANSWER = "The answer is 42."
MODEL = "served-model-2026-01-31"
INPUT_TOKENS = 11
OUTPUT_TOKENS = 7
NUMBERS = [0.25, -0.5, 1.0]
SOUND = b"ID3 not really a song"
IMAGE = b"\x89PNG not really a picture"


def family(path: str) -> str:
    """The wire that a path belongs to, such as ``openai.chat``."""
    for ending, name in _ENDINGS.items():
        if path.partition("?")[0].endswith(ending):
            return name
    return "unknown"


_ENDINGS = {
    "/v2/chat": "cohere.chat",
    "/v1/embed": "cohere.embed",
    "/api/chat": "ollama.chat",
    "/api/embeddings": "ollama.embed",
    "/chat/completions": "openai.chat",
    "/embeddings": "openai.embed",
    "/audio/transcriptions": "openai.transcribe",
    "/audio/speech": "openai.speak",
    "/images/generations": "openai.generate_image",
    "/messages": "anthropic.chat",
    ":generateContent": "gemini.chat",
    ":embedContent": "gemini.embed",
    "/systemone": "typesafe.chat",
}


def _openai(text: str, reason: str = "stop") -> Document:
    return {
        "id": "chatcmpl-1",
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": reason,
            }
        ],
        "usage": {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS},
    }


def _anthropic(text: str, reason: str = "end_turn") -> Document:
    return {
        "model": MODEL,
        "content": [{"type": "text", "text": text}],
        "stop_reason": reason,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _gemini(text: str, reason: str = "STOP") -> Document:
    return {
        "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": reason}],
        "modelVersion": MODEL,
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
        },
    }


def _cohere(text: str, reason: str = "COMPLETE") -> Document:
    tokens = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
    return {
        "finish_reason": reason,
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        "usage": {"tokens": tokens},
    }


def _ollama(text: str) -> Document:
    return {
        "model": MODEL,
        "message": {"role": "assistant", "content": text},
        "done": True,
        "prompt_eval_count": INPUT_TOKENS,
        "eval_count": OUTPUT_TOKENS,
    }


def _systemone(asked: Document) -> Document:
    return {
        "model": MODEL,
        "answers": {name: _typed(question) for name, question in asked["questions"].items()},
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _typed(question: Document) -> Document:
    kind, criteria = question["type"], question.get("criteria", {})
    if kind == "noul":
        return {"type": "noul", "noul": 0.91}
    if kind == "choice":
        names = list(criteria)
        shares = dict.fromkeys(names, 0.0) | {names[0]: 1.0}
        return {"type": "choice", "choice": names[0], "probabilities": shares, "confidence": 1.0}
    shares = {str(level): 0.0 for level in range(len(criteria))} | {"0": 1.0}
    legend = {str(level): text for level, text in enumerate(criteria)}
    return {
        "type": "score",
        "score": 0.0,
        "legend": legend,
        "probabilities": shares,
        "confidence": 1.0,
    }


_CHATS: dict[str, Callable[[str], Document]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "cohere": _cohere,
    "ollama": _ollama,
}
_OTHERS: dict[str, Callable[[], Document]] = {
    "openai.embed": lambda: {
        "data": [{"embedding": NUMBERS}],
        "model": MODEL,
        "usage": {"prompt_tokens": INPUT_TOKENS},
    },
    "gemini.embed": lambda: {"embedding": {"values": NUMBERS}},
    "cohere.embed": lambda: {"embeddings": [NUMBERS]},
    "ollama.embed": lambda: {"embedding": NUMBERS},
    "openai.transcribe": lambda: {"text": ANSWER},
    "openai.generate_image": lambda: {
        "data": [{"b64_json": base64.b64encode(IMAGE).decode("ascii")}]
    },
}


def answer(path: str, body: bytes) -> bytes:
    """A good answer to a request; a judge's question is answered ``PASS``."""
    wire = family(path)
    if wire == "openai.speak":
        return SOUND
    if wire in _OTHERS:
        return _json(_OTHERS[wire]())
    if wire == "typesafe.chat":
        return _json(_systemone(json.loads(body)))
    vendor = wire.partition(".")[0]
    return _json(_CHATS.get(vendor, _openai)("PASS" if b"Rubric:" in body else ANSWER))


def said(path: str, body: bytes, text: str) -> bytes:
    """An answer that says ``text``."""
    vendor = family(path).partition(".")[0]
    if vendor == "typesafe":
        document = _systemone(json.loads(body))
        document["note"] = text
        return _json(document)
    return _json(_CHATS[vendor](text))


def refusal(path: str, body: bytes) -> bytes | None:
    """How the vendor declines to answer with status 200; None when it has no such form."""
    vendor = family(path).partition(".")[0]
    if vendor == "openai":
        return _json(_openai("", "content_filter"))
    if vendor == "anthropic":
        return _json(_anthropic("", "refusal"))
    if vendor == "gemini":
        return _json({"promptFeedback": {"blockReason": "SAFETY"}})
    return None


def mistyped(path: str, body: bytes) -> bytes:
    """An answer in which every leaf has a wrong type."""
    return _json(_mistyped(json.loads(answer(path, body))))


def _mistyped(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return {name: _mistyped(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_mistyped(member) for member in value]
    return value + 2 if isinstance(value, float) else {"wrong": True}


def error(path: str, status: int, text: str) -> bytes:
    """An error body in the vendor's own form."""
    vendor = family(path).partition(".")[0]
    if vendor == "typesafe":
        if status == 422:
            return _json({"detail": [{"loc": ["body"], "msg": text, "type": "value_error"}]})
        return _json({"detail": {"error_type": _type(status), "message": text}})
    if vendor == "anthropic":
        return _json({"type": "error", "error": {"type": _type(status), "message": text}})
    if vendor == "ollama":
        return _json({"error": text})
    if vendor == "cohere":
        return _json({"message": text})
    if vendor == "gemini":
        return _json({"error": {"code": status, "message": text, "status": _type(status)}})
    return _json({"error": {"message": text, "type": _type(status), "code": _type(status)}})


def _type(status: int) -> str:
    return {413: "max_tokens_exceeded", 429: "rate_limit_exceeded"}.get(status, f"error_{status}")


def _json(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()
