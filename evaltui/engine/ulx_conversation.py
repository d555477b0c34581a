"""Running a conversation as ``ulx run`` does (runtime specification 9.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from evaltui.engine.failures import RuntimeFailure, Suspended, type_error
from evaltui.engine.machine import Frame, Machine, too_deep
from evaltui.engine.run_output import Ending, Transcript, print_ending, suspension_line
from evaltui.engine.ulx_benchmark import resume_line
from evaltui.engine.ulx_effects import Listener, Mode
from evaltui.engine.ulx_session import UlxSession
from evaltui.engine.values import Value, fail, quote
from evaltui.ulx.depth import deep_recursion

DENIED = "denied by human reviewer"
_QUESTION = "[a]pprove, [d]eny, or [q]uit (leave suspended)? "


def run_conversation(
    session: UlxSession,
    name: str,
    arguments: Mapping[str, str],
    mode: Mode | None = None,
    listener: Listener | None = None,
) -> Ending:
    """One pass over a conversation with text arguments; surplus ones are ignored."""
    machine = Machine(session.effects(mode, listener))
    try:
        target = session.program.conversation(name)
        machine.frames = [_bound(name, target.parameters, arguments)]
        with deep_recursion(0):
            return target.body(machine)
    except (Suspended, RuntimeFailure) as ending:
        return ending
    except RecursionError:
        return too_deep()


def _bound(name: str, parameters: tuple[str, ...], arguments: Mapping[str, str]) -> Frame:
    for parameter in parameters:
        if parameter not in arguments:
            raise type_error(f"missing argument `{parameter}` for `{name}`")
    return {parameter: arguments[parameter] for parameter in parameters}


def run_and_print(
    session: UlxSession,
    name: str,
    arguments: Mapping[str, str],
    style: str,
    streams: tuple[TextIO, TextIO],
    mode: Mode | None = None,
) -> int:
    """One pass, printed in one of the output styles; the exit code of the command."""
    stdout, stderr = streams
    listener = Transcript(style, stdout) if style in ("text", "plain") else None
    ending = run_conversation(session, name, arguments, mode, listener)
    return print_ending(style, session.run_id, ending, stdout, stderr)


def run_interactively(
    session: UlxSession,
    name: str,
    arguments: Mapping[str, str],
    streams: tuple[TextIO, TextIO],
    stdin: TextIO,
    mode: Mode | None = None,
) -> int:
    """Pass after pass, asking at every suspension, until the run ends or is left waiting."""
    stdout, stderr = streams
    while True:
        ending = run_conversation(session, name, arguments, mode, Transcript("plain", stdout))
        if not isinstance(ending, Suspended):
            return print_ending("text", session.run_id, ending, stdout, stderr)
        stdout.write(f"{suspension_line(ending)}\n")
        answer = _ask(stdout, stdin)
        if answer is None:
            stdout.write(f"{suspension_line(ending)}\nrun id: {session.run_id}\n")
            stdout.write(f"{resume_line(session.run_id)}\n")
            return 1
        session.cache.try_write(ending.key, answer)


def _ask(stdout: TextIO, stdin: TextIO) -> Value | None:
    while True:
        choice = _prompt(_QUESTION, stdout, stdin)
        if choice is None or choice.lower() in ("q", "quit"):
            return None
        if choice.lower() in ("a", "approve"):
            return _prompt('value (default "approved"): ', stdout, stdin) or "approved"
        if choice.lower() in ("d", "deny"):
            return fail(_prompt("note (optional): ", stdout, stdin) or DENIED)
        stdout.write(f"please answer a/d/q (got {quote(choice)})\n")


def _prompt(text: str, stdout: TextIO, stdin: TextIO) -> str | None:
    stdout.write(text)
    stdout.flush()
    line = stdin.readline()
    return line.strip() if line else None
