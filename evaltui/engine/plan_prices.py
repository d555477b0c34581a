"""Illustrative prices for ``ulx plan`` (runtime specification 9.8)."""

from __future__ import annotations

from typing import Final

_PER_1000_TOKENS: Final = {
    "gpt-4o-mini": (0.00015, 0.0006),
    "gpt-4o": (0.0025, 0.01),
    "gpt-3.5-turbo": (0.0005, 0.0015),
    "claude-3-5-sonnet": (0.003, 0.015),
    "claude-3-haiku": (0.00025, 0.00125),
    "gemini-1.5-flash": (0.000075, 0.0003),
    "gemini-1.5-pro": (0.00125, 0.005),
    "llama-3.3-70b-versatile": (0.00059, 0.00079),
    "llama-3-8b": (0.0002, 0.0002),
    "command-r": (0.00015, 0.0006),
    "text-embedding-3-small": (0.00002, 0.0),
    "text-embedding-004": (0.00001, 0.0),
    "embed-english-v3.0": (0.0001, 0.0),
    "llama3": (0.0, 0.0),
    "nomic-embed-text": (0.0, 0.0),
}
_PER_CALL: Final = {
    "whisper-1": 0.006,
    "whisper-large-v3": 0.0004,
    "tts-1": 0.015,
    "dall-e-3": 0.04,
}
PRICED_PER_CALL: Final = ("transcribe", "speak", "generate_image")
"""Capabilities that cost the same whatever is sent."""


def token_prices(model: str) -> tuple[float, float] | None:
    """US dollars per 1000 prompt and reply tokens; None for an unpriced model."""
    name = _listed(model, _PER_1000_TOKENS)
    return None if name is None else _PER_1000_TOKENS[name]


def call_price(model: str) -> float | None:
    """US dollars per call; None for an unpriced model."""
    name = _listed(model, _PER_CALL)
    return None if name is None else _PER_CALL[name]


def _listed(model: str, table: dict[str, tuple[float, float]] | dict[str, float]) -> str | None:
    lower = model.lower()
    if lower in table:
        return lower
    return max((name for name in table if name in lower), key=len, default=None)
