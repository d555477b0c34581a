"""A trace as text, JSON, a sequence diagram or a page (runtime specification 9.6)."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evaltui.engine.alphabetic import is_alphanumeric
from evaltui.engine.carriers import UNIT, Value
from evaltui.engine.tagging import natural
from evaltui.engine.trace import TraceRecord
from evaltui.engine.transcript import cut, deduplicated, outcome_text, status_of, turns_of

_TEXT_LIMIT: Final = 100
_DIAGRAM_LIMIT: Final = 80
_STYLE: Final = (
    "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "article{border:1px solid #ccc;border-radius:6px;margin:.7rem 0;padding:.6rem .9rem}"
    "pre{margin:.4rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere}"
    ".badge{border-radius:4px;color:#fff;padding:.05rem .4rem}"
    ".hit{background:#2b6cb0}.miss{background:#2f855a}.err{background:#c53030}"
)


def text_view(records: Sequence[TraceRecord]) -> str:
    """One line a record, indented by nesting."""
    return "".join(
        f"#{record.seq:<3} [{status_of(record):<4}] {'  ' * depth}{record.capability or '-':<10} "
        f"{cut(outcome_text(record), _TEXT_LIMIT)}\n"
        for record, depth in zip(records, _depths(records), strict=True)
    )


def _depths(records: Iterable[TraceRecord]) -> Iterator[int]:
    known: dict[str, int] = {}
    for record in records:
        depth = known.get(record.parent_run_id, 0) + 1 if record.parent_run_id else 0
        known[f"{record.run_id}:{record.seq}"] = depth
        yield depth


def plain_view(records: Iterable[TraceRecord]) -> str:
    """The dialogue, repeated records collapsed."""
    return "".join(
        f"{turn.role}: {turn.text}\n"
        for record in deduplicated(records)
        for turn in turns_of(record)
    )


def json_view(records: Iterable[TraceRecord]) -> str:
    """All records as one JSON array."""
    return f"[{','.join([record_json(record) for record in records])}]\n"


def jsonl_view(records: Iterable[TraceRecord]) -> str:
    """One JSON object a line."""
    return "".join(f"{record_json(record)}\n" for record in records)


def record_json(record: TraceRecord) -> str:
    """A record as natural JSON with sorted keys."""
    lines: list[Value] = [{"role": role, "text": text} for role, text in record.input]
    members: dict[str, Value] = {
        "cache_hit": record.cache_hit,
        "capability": record.capability,
        "error": _or_unit(record.error),
        "input": lines,
        "kind": record.kind,
        "output": _or_unit(record.output),
        "parent_run_id": _or_unit(record.parent_run_id),
        "seq": record.seq,
        "timestamp_ms": record.timestamp_ms,
    }
    return natural(members)


def _or_unit(value: Value | None) -> Value:
    return UNIT if value is None else value


def mermaid_view(records: Iterable[TraceRecord]) -> str:
    """A sequence diagram of the calls, repeated records collapsed."""
    kept = deduplicated(records)
    lines = ["sequenceDiagram", "    participant Program"]
    for name in dict.fromkeys(record.capability for record in kept):
        lines.append(f"    participant {_identifier(name)} as {name}")
    for record in kept:
        target = _identifier(record.capability)
        outcome = " ".join(cut(outcome_text(record), _DIAGRAM_LIMIT).split())
        lines.append(f"    Program->>+{target}: #{record.seq} {record.capability}")
        lines.append(f"    {target}-->>-Program: [{status_of(record)}] {outcome}")
    return "".join(f"{line}\n" for line in lines)


def _identifier(name: str) -> str:
    clean = "".join(one if is_alphanumeric(one) else "_" for one in name)
    return f"p_{clean}" if clean[:1].isdigit() else clean


def html_view(records: Iterable[TraceRecord], title: str) -> str:
    """A self-contained page, one card a record."""
    cards = "\n".join(_card(record) for record in deduplicated(records))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{html.escape(title)}</h1>\n{cards}\n</body>\n</html>\n"
    )


def _card(record: TraceRecord) -> str:
    status = status_of(record)
    return (
        f'<article><span class="badge {status}">{status}</span> #{record.seq} '
        f"<strong>{html.escape(record.capability)}</strong>"
        f"<pre>{html.escape(outcome_text(record))}</pre></article>"
    )
