"""The command line: takes the quick ways out, builds the commands, turns errors into exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaltui.errors import EvaltuiError, ExitCode

if TYPE_CHECKING:
    from typing import TextIO

DEBUG = "--debug"


def run(arguments: Sequence[str]) -> int:
    """Run ``evaltui`` with the arguments after its name; answer the exit code.

    Every expected failure ends as one line on standard error; ``--debug`` shows the traceback.
    """
    words = list(arguments)
    if words in (["--version"], ["-V"]):
        return _print_version()
    if words and words[0] == "ulx":
        from evaltui.ulx.cli import main

        return main(words[1:])
    speak_utf8(sys.stdout)
    speak_utf8(sys.stderr)
    debug = DEBUG in words
    return _guarded([word for word in words if word != DEBUG], debug)


def speak_utf8(stream: TextIO) -> None:
    """Write UTF-8 whatever the locale says; what cannot be encoded is replaced."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")


def _guarded(words: list[str], debug: bool) -> int:
    try:
        return _dispatch(words)
    except EvaltuiError as error:
        if debug:
            raise
        _complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        _discard_output()
        return ExitCode.OK
    except KeyboardInterrupt:
        _complain("interrupted")
        return ExitCode.INCOMPLETE
    except Exception as error:
        if debug:
            raise
        _complain(f"internal error: {type(error).__name__}: {error} (--debug shows where)")
        return ExitCode.INTERNAL


def _dispatch(words: list[str]) -> int:
    import typer

    from evaltui.commands import build
    from evaltui.commands.run import with_resume_value

    usage_error = typer.BadParameter.__mro__[2]
    try:
        application = build(words[0] if words else "")
        answer = application(
            args=with_resume_value(words), prog_name="evaltui", standalone_mode=False
        )
    except typer.Abort:
        raise KeyboardInterrupt from None
    except typer.Exit as ended:
        return ended.exit_code
    except Exception as error:
        if not isinstance(error, usage_error):
            raise
        return _refuse(error)
    sys.stdout.flush()
    return answer if isinstance(answer, int) else ExitCode.OK


def _refuse(error: Exception) -> int:
    """A command line that does not parse."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "evaltui"
    if context is not None and message in ("", context.get_help()):
        print(context.get_help(), file=sys.stderr)
    else:
        _complain(f"{message} (see {path} --help)")
    return ExitCode.USAGE


def _complain(message: str) -> None:
    from evaltui.text import safe

    print(f"evaltui: error: {safe(' '.join(message.split()))}", file=sys.stderr)


def _print_version() -> int:
    from evaltui import __version__

    print(f"evaltui {__version__}")
    return ExitCode.OK


def _discard_output() -> None:
    """Keep the interpreter from complaining about the closed pipe once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
