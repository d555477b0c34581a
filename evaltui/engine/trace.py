"""Trace records of ``ulx`` runs, one JSON object a line (runtime specification 7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring
from pathlib import Path
from typing import IO, Final, Literal

from msgspec import Struct

from evaltui.engine.carriers import Value
from evaltui.engine.tagging import from_tagged, tagged
from evaltui.engine.values import JsonError, parse_json

FOLDER: Final = Path(".ulexite/traces")

Line = tuple[str, str]
"""Role and text of a message."""


class TraceRecord(Struct, frozen=True):
    """One call of a provider, validator, person or conversation."""

    run_id: str
    seq: int
    kind: Literal["effect", "call"]
    capability: str
    input: tuple[Line, ...]
    timestamp_ms: int
    cache_key: str | None = None
    cache_hit: bool = False
    provider: str | None = None
    model: str | None = None
    output: Value | None = None
    error: str | None = None
    parent_run_id: str | None = None

    def line(self) -> str:
        """The record as compact JSON, members in the fixed order."""
        messages = ",".join(
            [f'{{"role":{_text(role)},"text":{_text(text)}}}' for role, text in self.input]
        )
        output = "null" if self.output is None else tagged(self.output)
        return (
            f'{{"run_id":{_text(self.run_id)},"seq":{self.seq},"kind":"{self.kind}",'
            f'"capability":{_text(self.capability)},"cache_key":{_text(self.cache_key)},'
            f'"cache_hit":{"true" if self.cache_hit else "false"},"input":[{messages}],'
            f'"provider":{_text(self.provider)},"model":{_text(self.model)},"output":{output},'
            f'"error":{_text(self.error)},"timestamp_ms":{self.timestamp_ms},'
            f'"parent_run_id":{_text(self.parent_run_id)}}}'
        )


def _text(value: str | None) -> str:
    return "null" if value is None else encode_basestring(value)


def trace_path(run_id: str) -> Path:
    """Where the records of a run are."""
    return FOLDER / f"{run_id}.jsonl"


class TraceWriter:
    """Appends records to a file; each is on disk when ``append`` returns."""

    def __init__(self, path: Path) -> None:
        """Create the file with its folder.

        Raises:
            OSError: it cannot be created.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def append(self, record: TraceRecord) -> None:
        """Write one record."""
        self._file.write(f"{record.line()}\n".encode("utf-8", "surrogatepass"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_trace(run_id: str) -> list[TraceRecord]:
    """The records of a run, unreadable lines skipped.

    Raises:
        OSError: there is no such trace.
    """
    lines = trace_path(run_id).read_bytes().split(b"\n")
    return list(_records(lines))


def _records(lines: list[bytes]) -> Iterator[TraceRecord]:
    for line in lines:
        try:
            node = parse_json(line.decode("utf-8"))
            if isinstance(node, dict):
                yield _record(node)
        except (UnicodeDecodeError, JsonError, KeyError, TypeError):
            continue


def _record(node: dict[str, Value]) -> TraceRecord:
    plain = json.loads(json.dumps(node, default=lambda unit: None))
    output = node["output"]
    lines = tuple((line["role"], line["text"]) for line in plain.get("input", ()))
    return TraceRecord(
        plain["run_id"],
        plain["seq"],
        plain["kind"],
        plain["capability"],
        lines,
        plain["timestamp_ms"],
        plain["cache_key"],
        plain["cache_hit"],
        plain.get("provider"),
        plain.get("model"),
        from_tagged(output) if isinstance(output, dict) else None,
        plain["error"],
        plain.get("parent_run_id"),
    )


Clock = Callable[[], int]
"""The time in Unix milliseconds."""
