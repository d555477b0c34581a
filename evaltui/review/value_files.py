"""The values that decisions name, each in a file called by its digest."""

from __future__ import annotations

from pathlib import Path

from evaltui.engine.values import JsonError, Value, content_hash, pretty_tagged, untagged
from evaltui.errors import DecisionError, fact_of

_HINT = "restore it from version control"


def path_of(folder: Path, digest: str) -> Path:
    """Where the value with this content hash lives beside the decisions of ``folder``."""
    return folder / "decisions" / "values" / f"{digest}.json"


def encode(value: Value) -> bytes:
    """The bytes of a value's file: tagged JSON over several lines and a final newline."""
    return (pretty_tagged(value) + "\n").encode()


def read(folder: Path, digest: str) -> Value:
    """The value with this content hash.

    Raises:
        DecisionError: there is no such file, or its value has another digest.
    """
    path = path_of(folder, digest)
    try:
        value = untagged(path.read_bytes().decode())
    except FileNotFoundError:
        raise DecisionError(
            "a decision names this value but the file is gone", place=str(path), hint=_HINT
        ) from None
    except (OSError, UnicodeDecodeError, JsonError) as error:
        raise DecisionError(
            f"the value cannot be read: {fact_of(error)}", place=str(path), hint=_HINT
        ) from None
    if content_hash(value) != digest:
        raise DecisionError("the value is not the one its name says", place=str(path), hint=_HINT)
    return value
