"""Trace records as the turns of a dialogue (runtime specification 9.3 and 9.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from evaltui.engine.rendering import display
from evaltui.engine.trace import TraceRecord
from evaltui.engine.ulx_effects import SPOKEN

Status = Literal["sent", "hit", "miss", "err"]
_CALL_TEXT = 40


class Turn(Struct, frozen=True):
    """One line of a dialogue."""

    role: str
    text: str
    status: Status


def deduplicated(records: Iterable[TraceRecord]) -> list[TraceRecord]:
    """Records with one cache key collapse to the last, at the first one's place."""
    places: dict[str, int] = {}
    kept: list[TraceRecord] = []
    for record in records:
        if record.cache_key is None:
            kept.append(record)
        elif record.cache_key in places:
            kept[places[record.cache_key]] = record
        else:
            places[record.cache_key] = len(kept)
            kept.append(record)
    return kept


def status_of(record: TraceRecord) -> Status:
    """Whether a record was answered from the cache, failed, or was answered anew."""
    if record.cache_hit:
        return "hit"
    return "err" if record.error is not None else "miss"


def turns_of(record: TraceRecord) -> list[Turn]:
    """All turns of a record: the messages of a chat, then what came of it."""
    sent = record.input if record.capability in SPOKEN and record.kind == "effect" else ()
    return [*[Turn(role, text, "sent") for role, text in sent], closing_turn(record)]


def closing_turn(record: TraceRecord) -> Turn:
    """The turn that says what came of a record."""
    role, text = _call(record) if record.kind == "call" else _effect(record)
    return Turn(role, text, status_of(record))


def _call(record: TraceRecord) -> tuple[str, str]:
    arguments = [f"{role}: {cut(text, _CALL_TEXT)}" for role, text in record.input]
    return "call", f"{record.capability}({', '.join(arguments)})"


def _effect(record: TraceRecord) -> tuple[str, str]:
    outcome = outcome_text(record)
    if record.capability in SPOKEN:
        return "assistant", outcome
    if record.capability == "judge":
        return f"judge {_judge_name(record.input)}", outcome
    if record.capability == "escalate" and record.input:
        target, reason = record.input[0]
        decided = f"{reason} => {outcome}"
        return f"escalate {target}", f"{reason} (suspended)" if record.error else decided
    return record.capability, outcome


def _judge_name(lines: Sequence[tuple[str, str]]) -> str:
    rubrics = (role for role, _ in lines if role.startswith("rubric "))
    return next(rubrics, "").removeprefix("rubric ")


def outcome_text(record: TraceRecord) -> str:
    """The output of a record in display form, or its error; empty when it has neither."""
    if record.output is not None:
        return display(record.output)
    return record.error or ""


def cut(text: str, limit: int) -> str:
    """``text``, or its first ``limit`` characters and three points."""
    return text if len(text) <= limit else f"{text[:limit]}..."
