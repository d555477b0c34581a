"""Going back to a recorded run: approve, deny and replay (runtime specification 9.1 and 9.5)."""

from __future__ import annotations

from argparse import Namespace
from typing import TextIO

from msgspec.structs import replace

from evaltui.engine.carriers import Value
from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.run_manifest import RunManifest, read_manifest
from evaltui.engine.ulx_benchmark import run_benchmark, write_report
from evaltui.engine.ulx_conversation import run_and_print, run_conversation
from evaltui.engine.ulx_effects import Mode
from evaltui.engine.ulx_session import CommandFailure, UlxSession, open_session
from evaltui.errors import ConfigurationError
from evaltui.ulx.program import load_program
from evaltui.ulx.reading import os_error_text

DENIAL_NOTE = (
    "note: v0.1 does not distinguish deny-and-abort from deny-with-value "
    "at the type level (§24) —\n"
    "      the denial is recorded as the escalate's resolved value, "
    "same as an approval would be.\n"
)

Streams = tuple[TextIO, TextIO]


def answer_run(options: Namespace, decision: Value, streams: Streams) -> int:
    """Answer what a run waits for, and run it again; the exit code of the command.

    Raises:
        RuntimeFailure: the program fails.
        EvaltuiError: the providers cannot be set up.
        CommandFailure: there is no such run, or the decision cannot be stored.
    """
    asked = _recorded(options.run_id)
    if options.mock or options.provider:
        asked = replace(asked, selected_providers=options.provider, force_mock=options.mock)
    merged = load_program(asked.file, *streams)
    if merged is None:
        return 1
    with open_session(merged, asked, options.run_id) as session:
        if asked.benchmark is not None:
            return _answer_benchmark(session, asked.benchmark, decision, streams)
        return _answer_conversation(session, asked, decision, options.output, streams)


def _recorded(run_id: str) -> RunManifest:
    try:
        return read_manifest(run_id)
    except OSError as error:
        reason = os_error_text(error)
    except ValueError as error:
        reason = str(error)
    raise CommandFailure(f"no run manifest for `{run_id}`: {reason}")


def _answer_benchmark(session: UlxSession, name: str, decision: Value, streams: Streams) -> int:
    stdout, stderr = streams
    rows = run_benchmark(session, name)
    waiting = next((row.suspension for row in rows if row.suspension is not None), None)
    if waiting is None:
        stderr.write(
            f"benchmark run `{session.run_id}` has no suspended row to resolve "
            "(it already completed, or every pending row was already resolved)\n"
        )
        return 1
    _store(session, waiting, decision)
    return write_report(name, session.run_id, run_benchmark(session, name), stdout)


def _answer_conversation(
    session: UlxSession, asked: RunManifest, decision: Value, style: str, streams: Streams
) -> int:
    ending = run_conversation(session, asked.conversation, asked.args)
    if isinstance(ending, RuntimeFailure):
        raise ending
    if not isinstance(ending, Suspended):
        streams[1].write(f"run `{session.run_id}` was not suspended (it already completed)\n")
        return 1
    _store(session, ending, decision)
    return run_and_print(session, asked.conversation, asked.args, style, streams)


def _store(session: UlxSession, waiting: Suspended, decision: Value) -> None:
    try:
        session.cache.write(waiting.key, decision)
    except OSError as error:
        raise CommandFailure(f"could not record the decision: {os_error_text(error)}") from error


def replay_run(options: Namespace, streams: Streams) -> int:
    """Run a recorded conversation again from the cache alone; the exit code of the command.

    Raises:
        CommandFailure: there is no such run.
    """
    asked = _recorded(options.run_id)
    merged = load_program(asked.file, *streams)
    if merged is None:
        return 1
    try:
        session = open_session(merged, asked, options.run_id)
    except ConfigurationError:
        session = open_session(merged, replace(asked, force_mock=True), options.run_id)
    with session:
        return run_and_print(
            session, asked.conversation, asked.args, options.output, streams, Mode(strict=True)
        )
