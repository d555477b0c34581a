"""Trace records of ``ulx`` runs, one JSON object a line (runtime specification 7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring
from pathlib import Path
from typing import IO, Final, Literal

from msgspec import Struct, ValidationError, convert

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
    return parse_trace(trace_path(run_id).read_bytes())[0]


def parse_trace(content: bytes) -> tuple[list[TraceRecord], int]:
    """The records of a trace file, and how many lines are no records."""
    found = [_record(line) for line in content.split(b"\n") if line.strip()]
    records = [record for record in found if record is not None]
    return records, len(found) - len(records)


def _record(line: bytes) -> TraceRecord | None:
    try:
        node = parse_json(line.decode("utf-8"))
        if not isinstance(node, dict):
            return None
        output = from_tagged(node["output"]) if isinstance(node["output"], dict) else None
        plain = json.loads(json.dumps(node | {"output": None}, default=lambda unit: None))
        written = convert(plain, _Written)
    except (UnicodeDecodeError, JsonError, KeyError, ValidationError):
        return None
    lines = tuple((line.role, line.text) for line in written.input)
    members = {name: getattr(written, name) for name in _Written.__struct_fields__}
    return TraceRecord(**members | {"input": lines, "output": output})


class _WrittenLine(Struct, frozen=True):
    role: str
    text: str


class _Written(Struct, frozen=True):
    """A line of a trace file, apart from its output."""

    run_id: str
    seq: int
    kind: Literal["effect", "call"]
    capability: str
    timestamp_ms: int
    cache_key: str | None
    cache_hit: bool
    error: str | None
    input: tuple[_WrittenLine, ...] = ()
    provider: str | None = None
    model: str | None = None
    parent_run_id: str | None = None


Clock = Callable[[], int]
"""The time in Unix milliseconds."""
