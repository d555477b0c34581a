"""Content codings of responses, undone within a bound: a small body must not fill the memory."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Final


class Undecodable(ValueError):
    """A body that is not what its ``content-encoding`` says, or too large."""

    def __init__(self, message: str, *, too_large: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large


_GZIP: Final = 31
_ZLIB: Final = 15
_DEFLATE: Final = -15


def decoded(body: bytes, codings: str, limit: int) -> bytes:
    """Undo the codings of a ``content-encoding`` header, the last one first.

    Raises:
        Undecodable: a coding is unknown, the body broken, or its content longer than ``limit``.
    """
    for coding in reversed([part.strip() for part in codings.split(",")]):
        body = _undone(body, coding, limit)
    return body


def _undone(body: bytes, coding: str, limit: int) -> bytes:
    if coding in ("", "identity"):
        return body
    if coding in ("gzip", "x-gzip"):
        return _inflated(body, _GZIP, limit)
    if coding == "deflate":
        try:
            return _inflated(body, _ZLIB, limit)
        except Undecodable as error:
            if error.too_large:
                raise
            return _inflated(body, _DEFLATE, limit)
    if coding == "zstd":
        return _unzstd(body, limit)
    raise Undecodable(f"unknown content-encoding {coding!r}")


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    unpacker = zlib.decompressobj(window)
    try:
        content = unpacker.decompress(body, limit + 1)
    except zlib.error as error:
        raise Undecodable(str(error)) from error
    if len(content) > limit:
        raise _too_large(limit)
    if not unpacker.eof:
        raise Undecodable("the compressed data ends too soon")
    return content


def _unzstd(body: bytes, limit: int) -> bytes:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=limit * 2).stream_reader(BytesIO(body))
    try:
        content: bytes = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise Undecodable(str(error)) from error
    if len(content) > limit:
        raise _too_large(limit)
    return content


def _too_large(limit: int) -> Undecodable:
    return Undecodable(f"more than {limit / 1024 / 1024:.3g} MB", too_large=True)
