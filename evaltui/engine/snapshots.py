"""Snapshot files: where the baseline of a key lives and what is in it (runtime spec 8.5)."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring
from pathlib import Path
from typing import Final

from evaltui.engine.alphabetic import is_alphanumeric
from evaltui.engine.values import JsonError, Value, from_tagged, parse_json, pretty_tagged
from evaltui.ulx.reading import NOT_UTF8

_NAME_LENGTH: Final = 60


def path_of(folder: Path, benchmark: str, key: str) -> Path:
    """``folder/snapshots/BENCHMARK/CLEAN-HASH8.json``."""
    clean = "".join(one if _is_kept(one) else "_" for one in key[:_NAME_LENGTH]) or "_"
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return folder / "snapshots" / benchmark / f"{clean}-{digest}.json"


def _is_kept(character: str) -> bool:
    return character in "-_" or is_alphanumeric(character)


def read(path: Path) -> Value:
    """The value in a snapshot file; its ``key`` member is not looked at.

    Raises:
        OSError: the file cannot be read.
        JsonError: it is no snapshot file.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonError(NOT_UTF8) from error
    node = parse_json(text)
    if not isinstance(node, dict) or "value" not in node:
        raise JsonError("missing field `value`")
    return from_tagged(node["value"])


def encode(key: str, value: Value) -> bytes:
    """The bytes of a snapshot file, without a final newline."""
    body = pretty_tagged(value, "  ")
    text = f'{{\n  "key": {encode_basestring(key)},\n  "value": {body}\n}}'
    return text.encode("utf-8", "surrogatepass")
