"""The records of a ``ulx`` trace as the call records of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evaltui.engine.carriers import Unsettled
from evaltui.engine.instruments import Measure
from evaltui.engine.recording import DRAFT_CLASSES, DRAFT_KINDS
from evaltui.engine.rendering import display
from evaltui.engine.tagging import tagged
from evaltui.engine.trace import TraceRecord
from evaltui.models import CallRecord, FailureClass
from evaltui.providers.base import Instrument

_UNKNOWN: Final = "unknown"
_RUBRIC: Final = "rubric "


def calls_of(records: Sequence[TraceRecord]) -> tuple[CallRecord, ...]:
    """Every effect of a trace, in its order; conversation calls become the scopes of others.

    Configured names of providers, latencies, tokens and costs are not in a trace.
    """
    return tuple(
        _call(number, record, scope, records[0].timestamp_ms)
        for number, (record, scope) in enumerate(_effects(records), 1)
    )


def instrument_of(records: Iterable[TraceRecord]) -> str:
    """Vendors and models asked for, as far as answers that were not cached name them."""
    asked = {record.provider: set[str]() for record in records if record.provider is not None}
    for record in records:
        if record.provider is not None and record.model is not None and not record.cache_hit:
            asked[record.provider].add(record.model)
    return "; ".join(" ".join((vendor, *sorted(asked[vendor]))) for vendor in sorted(asked))


def members_of(records: Iterable[TraceRecord]) -> Iterator[str]:
    """What measured, as canonical JSON of the little that is known."""
    for record in records:
        if record.provider is not None:
            model = None if record.cache_hit else record.model
            instrument = Instrument(_UNKNOWN, record.provider, model)
            rubrics = [text for role, text in record.input if role.startswith(_RUBRIC)]
            rubric = rubrics[0] if record.capability == "judge" and rubrics else None
            yield Measure(record.capability, instrument, imported=True).member(None, rubric)


def _effects(records: Iterable[TraceRecord]) -> Iterator[tuple[TraceRecord, tuple[str, ...]]]:
    """Effects, each with the names of the conversations around it."""
    scopes: dict[str, tuple[str, ...]] = {}
    for record in records:
        around = scopes.get(record.parent_run_id or "", ())
        if record.kind == "call":
            scopes[f"{record.run_id}:{record.seq}"] = (*around, record.capability)
        else:
            yield record, around


def _call(number: int, record: TraceRecord, scope: tuple[str, ...], began_ms: int) -> CallRecord:
    failure_class, kind = _failure(record)
    name, vendor = _asked(record)
    return CallRecord(
        number=number,
        capability=record.capability,
        provider=name,
        vendor=vendor,
        model=record.model,
        answered_by=None,
        cache_key=record.cache_key or "",
        cache_hit=record.cache_hit,
        input=record.input,
        output=None if record.output is None else tagged(record.output),
        error=_error(record),
        failure_class=failure_class,
        kind=kind,
        started_ms=float(record.timestamp_ms - began_ms),
        latency_ms=0.0,
        judge=_judge(record),
        scope=" > ".join(scope),
    )


def _asked(record: TraceRecord) -> tuple[str, str]:
    """Configured name and vendor; a person or a validator is asked under its own name."""
    if record.capability == "escalate":
        return (record.input[0][0] if record.input else _UNKNOWN), "person"
    if record.capability.startswith("validator:"):
        return record.capability.partition(":")[2], "validator"
    return _UNKNOWN, record.provider or _UNKNOWN


def _judge(record: TraceRecord) -> str | None:
    if record.capability != "judge":
        return None
    names = [role.removeprefix(_RUBRIC) for role, _ in record.input if role.startswith(_RUBRIC)]
    return names[0] if names else _UNKNOWN


def _failure(record: TraceRecord) -> tuple[FailureClass | None, str | None]:
    """What class and kind the record's lack of an answer is; nothing for a person who waits."""
    if isinstance(record.output, Unsettled):
        return DRAFT_CLASSES[record.output.variant], DRAFT_KINDS[record.output.variant]
    if record.error is None or record.capability == "escalate":
        return None, None
    return FailureClass.INFRASTRUCTURE, "recorded"


def _error(record: TraceRecord) -> str | None:
    return display(record.output) if isinstance(record.output, Unsettled) else record.error
