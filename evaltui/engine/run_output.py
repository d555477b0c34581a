"""How ``ulx run`` and its relatives print, by ``--output`` (runtime specification 9.3)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TextIO, TypeAlias

from evaltui.engine import trace_views
from evaltui.engine.carriers import UNIT, Value
from evaltui.engine.effects import Message
from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.rendering import display
from evaltui.engine.run_summary import footer, summarise
from evaltui.engine.tagging import natural
from evaltui.engine.trace import TraceRecord, read_trace
from evaltui.engine.transcript import Turn, closing_turn, deduplicated, turns_of
from evaltui.engine.ulx_benchmark import resume_line

Ending: TypeAlias = "Value | Suspended | RuntimeFailure"
"""What a conversation came to."""

_EMOJI: Final = {
    "system": "🧭",
    "user": "🧑",
    "assistant": "🤖",
    "call": "▶️ ",
    "transcribe": "🎙️ ",
    "speak": "🔊",
    "generate_image": "🖼️ ",
    "embed": "🔢",
}
_FAILED: Final = "⚠️ "
_OTHER: Final = "🔧"
_BOLD_CYAN: Final = "\x1b[1;36m{}\x1b[0m"


class Transcript:
    """Prints turns as they happen, in ``text`` or ``plain`` style."""

    def __init__(self, style: str, stdout: TextIO) -> None:
        self._decorated = style == "text"
        self._stdout = stdout
        self._coloured = self._decorated and stdout.isatty() and not os.environ.get("NO_COLOR")

    def sent(self, messages: Sequence[Message]) -> None:
        """Print the messages of a call."""
        for message in messages:
            self._print(Turn(message.role, message.text, "sent"))

    def recorded(self, record: TraceRecord) -> None:
        """Print what came of a call."""
        self._print(closing_turn(record))

    def _print(self, turn: Turn) -> None:
        if not self._decorated:
            self._stdout.write(f"{turn.role}: {turn.text}\n")
            return
        role = _BOLD_CYAN.format(turn.role) if self._coloured else turn.role
        self._stdout.write(f"{_emoji(turn)} {role}: {turn.text}\n\n")


def _emoji(turn: Turn) -> str:
    kind = turn.role.partition(" ")[0]
    if kind == "escalate":
        return "🙋"
    if turn.status == "err":
        return _FAILED
    if kind == "judge":
        return "⚖️ "
    if kind.startswith("validator"):
        return "🔍"
    return _EMOJI.get(turn.role, _OTHER)


def print_ending(style: str, run_id: str, ending: Ending, stdout: TextIO, stderr: TextIO) -> int:
    """Print what a run came to; the exit code is 0 for a value, else 1."""
    records = _recorded(run_id)
    if style == "json":
        stdout.write(_json(run_id, ending, records))
    elif style not in ("text", "plain"):
        stdout.write(_VIEWS[style](records, run_id))
        if isinstance(ending, RuntimeFailure):
            stderr.write(f"error: {ending.text}\n")
    else:
        _print_text(style, run_id, ending, records, stdout, stderr)
    return 1 if isinstance(ending, Suspended | RuntimeFailure) else 0


def _recorded(run_id: str) -> list[TraceRecord]:
    try:
        return read_trace(run_id)
    except OSError:
        return []


def _print_text(
    style: str,
    run_id: str,
    ending: Ending,
    records: list[TraceRecord],
    stdout: TextIO,
    stderr: TextIO,
) -> None:
    if style == "plain" and records:
        stdout.write("\n")
    if isinstance(ending, Suspended):
        stdout.write(f"{suspension_line(ending)}\n{footer(run_id, 'suspended', records)}")
        stdout.write(f"{resume_line(run_id)}\n")
    elif isinstance(ending, RuntimeFailure):
        stderr.write(f"error: {ending.text}\n{footer(run_id, 'error', records)}")
    else:
        stdout.write(f"{display(ending)}\n")
        stdout.flush()
        stderr.write(footer(run_id, "ok", records))


def suspension_line(waiting: Suspended) -> str:
    """Whom a run waits for, and why."""
    return f"suspended: waiting on `{waiting.target}` — {waiting.reason}"


def _json(run_id: str, ending: Ending, records: Iterable[TraceRecord]) -> str:
    kept = deduplicated(records)
    messages: list[Value] = [
        {"role": turn.role, "status": turn.status, "text": turn.text}
        for record in kept
        for turn in turns_of(record)
    ]
    document: dict[str, Value] = {
        "messages": messages,
        "metadata": _metadata(kept),
        "run_id": run_id,
        **_ending_members(run_id, ending),
    }
    return f"{natural(document)}\n"


def _ending_members(run_id: str, ending: Ending) -> dict[str, Value]:
    if isinstance(ending, Suspended):
        hint = resume_line(run_id).removeprefix("resume with: ")
        return {
            "reason": ending.reason,
            "resume_hint": hint,
            "status": "suspended",
            "target": ending.target,
        }
    if isinstance(ending, RuntimeFailure):
        return {"message": ending.text, "status": "error"}
    return {"status": "ok", "value": ending}


def _metadata(records: Iterable[TraceRecord]) -> Value:
    summary = summarise(records)
    providers: list[Value] = [
        {
            "capabilities": [
                {"capability": capability, "model": UNIT if model is None else model}
                for capability, model in used
            ],
            "id": name,
        }
        for name, used in summary.providers.items()
    ]
    return {"capabilities": list(summary.capabilities), "providers": providers}


_VIEWS: Final[dict[str, Callable[[list[TraceRecord], str], str]]] = {
    "text": lambda records, title: trace_views.text_view(records),
    "plain": lambda records, title: trace_views.plain_view(records),
    "json": lambda records, title: trace_views.json_view(records),
    "jsonl": lambda records, title: trace_views.jsonl_view(records),
    "mermaid": lambda records, title: trace_views.mermaid_view(records),
    "html": trace_views.html_view,
}


def trace_view(style: str, run_id: str) -> str:
    """The trace of a run in one of the styles.

    Raises:
        OSError: there is no such trace.
    """
    return _VIEWS[style](read_trace(run_id), run_id)
