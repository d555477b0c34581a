"""What a run used: its capabilities and providers, from all of its trace (runtime spec 9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from evaltui.engine.trace import TraceRecord
from evaltui.engine.transcript import deduplicated

_RULE = "─" * 44


class RunSummary(Struct):
    """Capabilities in first-use order, and per provider id what it did with which model."""

    capabilities: list[str] = field(default_factory=list)
    providers: dict[str, list[tuple[str, str | None]]] = field(default_factory=dict)


def summarise(records: Iterable[TraceRecord]) -> RunSummary:
    """Summarise the trace of a run."""
    summary = RunSummary()
    for record in deduplicated(records):
        if record.capability not in summary.capabilities:
            summary.capabilities.append(record.capability)
        if record.provider is not None:
            used = summary.providers.setdefault(record.provider, [])
            if (record.capability, record.model) not in used:
                used.append((record.capability, record.model))
    return summary


def footer(run_id: str, status: str, records: Iterable[TraceRecord]) -> str:
    """The lines under a transcript, each ended."""
    return "".join(f"{line}\n" for line in _lines(run_id, status, summarise(records)))


def _lines(run_id: str, status: str, summary: RunSummary) -> Iterator[str]:
    yield _RULE
    yield f"run id        {run_id}"
    yield f"status        {status}"
    if summary.capabilities:
        yield f"capabilities  {', '.join(summary.capabilities)}"
    for name, used in summary.providers.items():
        yield f"provider      {name} — {', '.join(_with_model(*pair) for pair in used)}"


def _with_model(capability: str, model: str | None) -> str:
    return capability if model is None else f"{capability} ({model})"
