"""What ``ulx`` left behind in a ``.ulexite`` folder, as stored runs and answers.

A trace says what was asked and answered, but neither which row it was for nor what the checks came
to, and nothing about addresses and parameters of providers. So a run becomes one case, which is
not judged, and a cached answer is kept under the key that ``ulx`` gave it: it may stand for itself
when an imported run is replayed, never for an answer of the instrument that is configured now.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from evaltui.engine.answers import IMPORTED_KEY
from evaltui.engine.carriers import Unsettled, Value
from evaltui.engine.import_calls import calls_of, instrument_of, members_of
from evaltui.engine.importing import Found, ImportedCase, ImportedRun, SourceKind
from evaltui.engine.instruments import combined
from evaltui.engine.json_strict import JsonError
from evaltui.engine.run_manifest import RunManifest, parse_manifest
from evaltui.engine.secrets import row_without_keys, without_keys
from evaltui.engine.tagging import content_hash, natural, tagged, untagged
from evaltui.engine.trace import TraceRecord, parse_trace
from evaltui.models import CaseResult, CaseSpec, Mode, RunInfo, Section
from evaltui.redaction import SecretScanner
from evaltui.store.records import CachedAnswer
from evaltui.ulx.reading import ReadFailure, read_bytes

FOLDER: Final = ".ulexite"
_LARGEST: Final = 100_000_000
_LATEST: Final = 4_000_000_000_000
"""Milliseconds since 1970 that a trace may say, some hundred years from now."""
_HEX: Final = re.compile(r"[0-9a-f]+")
_UNKNOWN: Final = "unknown"


class _Files(Struct, frozen=True):
    """What is known of one run."""

    run_id: str
    manifest: RunManifest | None
    records: tuple[TraceRecord, ...]
    digest: str
    written_ms: int
    """When the older of its files was last changed."""


def locate(path: Path) -> Path | None:
    """The ``.ulexite`` folder that ``path`` is or holds."""
    place = path if path.name == FOLDER else path / FOLDER
    return place if place.is_dir() else None


def read(folder: Path, scanner: SecretScanner) -> Found:
    """The runs and cached answers of a ``.ulexite`` folder."""
    found = Found()
    runs = list(_runs(folder.absolute(), found.skipped))
    found.runs = [_imported(files, folder.absolute(), scanner) for files in runs]
    sources = _sources(runs)
    for key, value in _cached(folder, found.skipped):
        if key not in sources.decisions:
            _keep(key, value, sources.answers.get(key), found, scanner)
    return found


def _runs(folder: Path, skipped: Counter[str]) -> Iterator[_Files]:
    manifests = {path.stem: path for path in sorted(folder.glob("runs/*.json"))}
    traces = {path.stem: path for path in sorted(folder.glob("traces/*.jsonl"))}
    for run_id in sorted(manifests.keys() | traces.keys()):
        paths = [found[run_id] for found in (manifests, traces) if run_id in found]
        contents = {path.suffix: _content(path, skipped) for path in paths}
        manifest = _manifest(contents.get(".json"), skipped)
        records, bad = parse_trace(contents.get(".jsonl") or b"")
        timely = tuple(record for record in records if 0 <= record.timestamp_ms < _LATEST)
        skipped["lines of traces"] += bad + len(records) - len(timely)
        if manifest is not None or timely:
            digest = _digest(run_id, contents.get(".json"), contents.get(".jsonl"))
            written = min(path.stat().st_mtime_ns for path in paths) // 1_000_000
            yield _Files(run_id, manifest, timely, digest, written)


def _content(path: Path, skipped: Counter[str]) -> bytes | None:
    try:
        return read_bytes(path, _LARGEST)
    except ReadFailure:
        skipped["files that cannot be read"] += 1
        return None


def _manifest(content: bytes | None, skipped: Counter[str]) -> RunManifest | None:
    if content is None:
        return None
    try:
        manifest = parse_manifest(content)
        if "\0" not in manifest.file:
            return manifest
    except ValueError:
        pass
    skipped["run manifests"] += 1
    return None


def _digest(run_id: str, *contents: bytes | None) -> str:
    hashed = hashlib.sha256(f"ulexite {run_id}".encode("utf-8", "surrogateescape"))
    for content in contents:
        hashed.update(hashlib.sha256(content or b"").digest())
    return hashed.hexdigest()[:16]


def _imported(files: _Files, folder: Path, scanner: SecretScanner) -> ImportedRun:
    section = _section(files.manifest, folder.parent)
    records = files.records
    first = records[0].timestamp_ms if records else files.written_ms
    run = RunInfo(
        id=files.digest,
        label="",
        started_at=_stamp(first),
        mode=_mode(files),
        instrument=instrument_of(records) or _UNKNOWN,
        policy_digest="",
        sections=(section,),
        arguments=(),
        project_root=str(folder.parent),
        filtered=True,
        finished_at=_stamp(max(record.timestamp_ms for record in records)) if records else None,
        problems=("imported: ulx records neither rows nor checks, so nothing is judged",),
        imported=f"ulx run {files.run_id.encode('utf-8', 'replace').decode()}",
    )
    return ImportedRun(run, (_case(files, section, run, scanner),))


def _section(manifest: RunManifest | None, project: Path) -> Section:
    if manifest is None:
        return Section(0, "ulexite", _UNKNOWN, str(project), _UNKNOWN, "", "", 1)
    path = Path(os.path.normpath(project / manifest.file))
    name = manifest.benchmark or manifest.conversation
    return Section(0, "ulexite", path.name, str(path.parent), name, "", "", 1)


def _mode(files: _Files) -> Mode:
    """Mock where that is certain; recorded answers are otherwise no more than a replay."""
    vendors = {record.provider for record in files.records if record.provider is not None}
    forced = files.manifest is not None and files.manifest.force_mock
    return Mode.MOCK if forced or vendors == {"mock"} else Mode.REPLAY


def _case(files: _Files, section: Section, run: RunInfo, scanner: SecretScanner) -> ImportedCase:
    arguments: dict[str, Value] = dict(files.manifest.args) if files.manifest else {}
    spec = CaseSpec(0, 0, section.benchmark, content_hash(arguments), natural(arguments))
    calls = calls_of(files.records)
    result = CaseResult(
        0,
        calls=calls,
        instrument=combined(members_of(files.records)),
        mode=run.mode,
        started_at=run.started_at,
        skipped=_why(files.records),
    )
    return row_without_keys(spec, scanner), without_keys(result, scanner)


def _why(records: Sequence[TraceRecord]) -> str:
    """Why the case is not judged, and how its trace ends."""
    last = records[-1] if records else None
    if last is None:
        return "imported without a trace"
    if last.error is None:
        return "imported"
    if last.capability == "escalate":
        target = last.input[0][0] if last.input else _UNKNOWN
        return f"imported; it waited on {target}"
    return f"imported; its last call failed: {last.error}"


class _Sources(Struct, frozen=True):
    """The records that answers were first written for, and the keys of people's decisions."""

    answers: Mapping[str, TraceRecord]
    decisions: frozenset[str]


def _sources(runs: Sequence[_Files]) -> _Sources:
    keyed = [one for files in runs for one in files.records if one.cache_key is not None]
    answers: dict[str, TraceRecord] = {}
    for one in sorted(keyed, key=lambda record: (record.cache_hit, record.timestamp_ms)):
        answers.setdefault(one.cache_key or "", one)
    people = {one.cache_key or "" for one in keyed if one.capability == "escalate"}
    return _Sources(answers, frozenset(people))


def _cached(folder: Path, skipped: Counter[str]) -> Iterator[tuple[str, Value]]:
    for path in sorted(folder.glob("cache/*/*")):
        key = path.parent.name + path.name
        if len(path.parent.name) != 2 or len(key) != 64 or not _HEX.fullmatch(key):
            skipped["files of the cache that are no answers"] += 1
            continue
        try:
            yield key, untagged(read_bytes(path, _LARGEST).decode("utf-8"))
        except (ReadFailure, UnicodeDecodeError, JsonError):
            skipped["cached answers that cannot be read"] += 1


def _keep(
    key: str, value: Value, source: TraceRecord | None, found: Found, scanner: SecretScanner
) -> None:
    text = tagged(value)
    if isinstance(value, Unsettled):
        found.skipped["cached drafts"] += 1
    elif scanner.find(text) is not None:
        found.skipped["cached answers with secrets"] += 1
    else:
        found.answers[IMPORTED_KEY + key] = _answer(text, source)


def _answer(text: str, source: TraceRecord | None) -> CachedAnswer:
    """An answer with what the trace says of its origin; a hit says nothing of model and time."""
    vendor = source.provider if source is not None else None
    first = source if source is not None and not source.cache_hit else None
    return CachedAnswer(
        value=text,
        vendor=vendor or _UNKNOWN,
        model=first.model if first is not None else None,
        answered_by=None,
        answered_at=_stamp(first.timestamp_ms) if first is not None else "",
        latency_ms=0.0,
        mode=Mode.MOCK if vendor == "mock" else Mode.REPLAY,
    )


def _stamp(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


KIND: Final = SourceKind(f"a {FOLDER} folder", locate, read)
