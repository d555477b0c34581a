"""What a screen and its runner process say to each other: one JSON object a line.

The first line to the runner is a ``Job``, the others are commands. The runner answers ``Started``
for every run, ``Batch`` for its rows, ``Finished`` when it is idle again, and ``Failed`` when the
run could not be started or not go on. It lives until its input ends.
"""

from __future__ import annotations

from decimal import Decimal

import msgspec

from evaltui.engine.requests import RunRequest
from evaltui.models import CaseSummary, RunInfo


class Job(msgspec.Struct, frozen=True):
    """What to run."""

    request: RunRequest


class Rerun(msgspec.Struct, frozen=True, tag="rerun", tag_field="do"):
    """Run cases again.

    Suspended cases that a person has answered go on in their run; all others make a new run whose
    ``parent`` is the first one.
    """

    indices: tuple[int, ...]


class Stop(msgspec.Struct, frozen=True, tag="stop", tag_field="do"):
    """Start no more cases, as the first Ctrl+C does."""


class Started(msgspec.Struct, frozen=True, tag="started"):
    """A run has begun; ``origins`` are the indices in the first run that its cases repeat."""

    run: RunInfo
    total: int
    origins: tuple[int, ...] = ()


class Batch(msgspec.Struct, frozen=True, tag="batch"):
    """Rows of cases that ended and are committed, and totals since the run began."""

    run_id: str
    rows: tuple[CaseSummary, ...]
    done: int
    in_flight: int
    calls: int
    cache_hits: int
    tokens: int
    cost: Decimal
    elapsed_ms: float


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """A run has nothing more to do. ``incomplete`` says why, when it stopped early."""

    run: RunInfo
    incomplete: str | None


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """An expected failure, in one line, with the exit code it stands for."""

    message: str
    exit_code: int


Command = Rerun | Stop
Message = Started | Batch | Finished | Failed

_encoder = msgspec.json.Encoder()
_jobs = msgspec.json.Decoder(Job)
_commands = msgspec.json.Decoder(Command)
_messages = msgspec.json.Decoder(Message)


def line(value: Job | Command | Message) -> bytes:
    """The line that stands for ``value``. Lone surrogates become ``?``."""
    try:
        return _encoder.encode(value) + b"\n"
    except UnicodeEncodeError:
        import json

        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        return text.encode("utf-8", "replace") + b"\n"


def read_job(text: bytes) -> Job:
    """The job that a line holds; raises ``msgspec.DecodeError``."""
    return _jobs.decode(text)


def read_command(text: bytes) -> Command:
    """The command that a line holds; raises ``msgspec.DecodeError``."""
    return _commands.decode(text)


def read_message(text: bytes) -> Message:
    """The message that a line holds; raises ``msgspec.DecodeError``."""
    return _messages.decode(text)
