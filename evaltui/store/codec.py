"""Models to JSON text and back; large texts are compressed where that pays."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from evaltui.errors import StoreError

T = TypeVar("T")

COMPRESS_FROM = 4096
"""Characters; below this zlib costs more time than it saves space."""

_encode = msgspec.json.Encoder().encode
_decoders: dict[object, object] = {}


def encode(value: object) -> str:
    """The JSON text of a model. Lone surrogates, which no file can hold, become ``?``."""
    try:
        return _encode(value).decode()
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return storable(text)


def storable(text: str) -> str:
    """``text`` with lone surrogates replaced by ``?``."""
    return text.encode("utf-8", "replace").decode()


def decode(kind: type[T], stored: str | bytes) -> T:
    """The model of type ``kind`` from text as stored, plain or packed.

    Raises:
        StoreError: the text is damaged.
    """
    return decode_all(kind, (stored,))[0]


def decode_all(kind: type[T], stored: Iterable[str | bytes]) -> list[T]:
    """Many models at once.

    Raises:
        StoreError: one of the texts is damaged.
    """
    read = _decoder(kind).decode
    try:
        return [read(text if isinstance(text, str) else zlib.decompress(text)) for text in stored]
    except (msgspec.DecodeError, zlib.error, UnicodeDecodeError, RecursionError) as error:
        hint = "move the store away and run again; decisions are safe"
        raise StoreError(f"a stored record is damaged ({error})", hint=hint) from error


def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    found = _decoders.get(kind)
    if not isinstance(found, msgspec.json.Decoder):
        found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


def pack(text: str) -> str | bytes:
    """Compressed bytes for a large text when they are clearly smaller, else the text itself."""
    if len(text) < COMPRESS_FROM:
        return text
    raw = text.encode()
    packed = zlib.compress(raw, 1)
    return packed if len(packed) < len(raw) * 3 // 4 else text
