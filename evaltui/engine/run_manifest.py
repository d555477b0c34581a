"""Run ids and run manifests of ``ulx`` (runtime specification 6.3 and 6.4)."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct, ValidationError, convert, field, to_builtins

FOLDER: Final = Path(".ulexite/runs")
_ID_LENGTH: Final = 16


class RunManifest(Struct, frozen=True):
    """What a run was asked to do; ``benchmark`` is None for a conversation."""

    file: str
    conversation: str = ""
    benchmark: str | None = None
    args: dict[str, str] = field(default_factory=dict)
    selected_providers: list[str] = field(default_factory=list)
    force_mock: bool = False


class InvalidRunId(ValueError):
    """A run id that cannot be a file name."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"invalid run id `{run_id}` — must be a single path component "
            "(no `/`, `\\`, `..`, or empty)"
        )


def new_run_id(parts: Iterable[str]) -> str:
    """A fresh id from what is run, the time and the process."""
    seed = "\0".join([*parts, str(time.time_ns()), str(os.getpid())])
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]


def check_run_id(run_id: str) -> None:
    """Refuse what is not a single path component.

    Raises:
        InvalidRunId: it is not.
    """
    if run_id in ("", ".", "..") or any(mark in run_id for mark in "/\\\0"):
        raise InvalidRunId(run_id)


def write_manifest(run_id: str, manifest: RunManifest) -> None:
    """Write the manifest of a run.

    Raises:
        InvalidRunId: the id cannot be a file name.
        OSError: the file cannot be written.
    """
    check_run_id(run_id)
    FOLDER.mkdir(parents=True, exist_ok=True)
    members = to_builtins(manifest) | {"args": dict(sorted(manifest.args.items()))}
    text = json.dumps(members, indent=2, ensure_ascii=False)
    (FOLDER / f"{run_id}.json").write_bytes(text.encode("utf-8", "surrogatepass"))


def read_manifest(run_id: str) -> RunManifest:
    """The manifest of a run.

    Raises:
        InvalidRunId: the id cannot be a file name.
        OSError: the file cannot be read.
        ValueError: it is no manifest.
    """
    check_run_id(run_id)
    return parse_manifest((FOLDER / f"{run_id}.json").read_bytes())


def parse_manifest(content: bytes) -> RunManifest:
    """The manifest with this content.

    Raises:
        ValueError: it is no manifest.
    """
    try:
        members = json.loads(content)
        required = {"conversation": members["conversation"], "args": members["args"]}
        return convert({**members, **required}, RunManifest)
    except (KeyError, TypeError, RecursionError, ValidationError) as error:
        raise ValueError(f"not a run manifest: {error}") from error
