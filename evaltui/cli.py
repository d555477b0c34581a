"""The command line: takes the quick ways out, builds the commands, turns errors into exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from evaltui.collector import calm_collector
from evaltui.errors import EvaltuiError, ExitCode

DEBUG = "--debug"
_INTERRUPTED = 130
"""What the parser of the command line makes of Ctrl+C."""


def run(arguments: Sequence[str]) -> int:
    """Run ``evaltui`` with the arguments after its name; answer the exit code.

    Every expected failure ends as one line on standard error; ``--debug`` shows the traceback.
    """
    words = list(arguments)
    if words in (["--version"], ["-V"]):
        return _print_version()
    calm_collector()
    if words and words[0] == "ulx":
        from evaltui.ulx.cli import main

        return main(words[1:])
    debug = DEBUG in words
    return _guarded([word for word in words if word != DEBUG], debug)


def _guarded(words: list[str], debug: bool) -> int:
    from evaltui.commands.words import argument_text, complain

    try:
        return _dispatch([argument_text(word) for word in words])
    except EvaltuiError as error:
        if debug:
            raise
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        complain("interrupted")
        return ExitCode.INCOMPLETE
    except OSError as error:
        if debug:
            raise
        complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        return ExitCode.USAGE
    except Exception as error:
        if debug:
            raise
        complain(f"internal error: {type(error).__name__}: {error} (--debug shows where)")
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
    if answer == _INTERRUPTED:
        raise KeyboardInterrupt
    sys.stdout.flush()
    return answer if isinstance(answer, int) else ExitCode.OK


def _refuse(error: Exception) -> int:
    """A command line that does not parse."""
    from evaltui.commands.words import complain

    message = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "evaltui"
    if context is not None and message in ("", context.get_help()):
        print(context.get_help(), file=sys.stderr)
    else:
        complain(f"{message} (see {path} --help)")
    return ExitCode.USAGE


def _print_version() -> int:
    from evaltui import __version__

    print(f"evaltui {__version__}")
    return ExitCode.OK
