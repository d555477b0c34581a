"""The command line of ``evaltui ulx``, a drop-in for ``ulx`` 0.1.5.

A command is one entry of ``COMMANDS``: what arguments it takes and what runs it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO, cast

from evaltui.text import safe
from evaltui.ulx.command import Command, Once, add_flag
from evaltui.ulx.running import RUNNING

VERSION = "ulx 0.1.5"
FAILED = 1
USAGE_ERROR = 2
CRASHED = 101
INTERRUPTED = 130


def _takes_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file")


def _takes_format_arguments(parser: argparse.ArgumentParser) -> None:
    _takes_file(parser)
    add_flag(parser, "--check", "write nothing, only say whether the file would change")


def _takes_output(parser: argparse.ArgumentParser) -> None:
    _takes_file(parser)
    parser.add_argument("-o", "--output", action=Once, help="where to write the program")


def _takes_manifest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="ulexite.toml")


def _takes_package(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name")
    parser.add_argument("dir", nargs="?", default=".")


def _parse(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import parse_file

    return parse_file(options.file, stdout, stderr)


def _check(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import check_file

    return check_file(options.file, stdout, stderr)


def _format(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import format_file

    return format_file(options.file, stdout, stderr, check=options.check)


def _from_markdown(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import compile_file

    return compile_file(options.file, options.output, stdout, stderr)


def _manifest(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import show_manifest

    return show_manifest(options.file, stdout, stderr)


def _init(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.ulx.commands import create_package

    return create_package(options.name, options.dir, stdout, stderr)


COMMANDS: dict[str, Command] = {
    "parse": Command("say whether a file is a program", _takes_file, _parse),
    "check": Command("check a program and what it imports", _takes_file, _check),
    "fmt": Command("rewrite a file in canonical form", _takes_format_arguments, _format),
    "from-md": Command("compile a Markdown file", _takes_output, _from_markdown),
    "manifest": Command("print what a manifest says", _takes_manifest, _manifest),
    "init": Command("start a package", _takes_package, _init),
    **RUNNING,
}


def main(argv: Sequence[str], stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Run one command; the streams default to those of the process, which then speak UTF-8.

    Returns 0 for success, 1 when something failed, 2 for arguments that do not fit, 130 after
    Ctrl+C, and 101 after an internal error.
    """
    out, plain = stdout or _speaking_utf8(sys.stdout), stderr or _speaking_utf8(sys.stderr)
    err = cast("TextIO", _Messages(plain))
    try:
        return _run(argv, out, err)
    except BrokenPipeError:
        _discard_output()
        return FAILED
    except KeyboardInterrupt:
        err.write("error: interrupted\n")
        return INTERRUPTED
    except Exception as error:
        err.write(f"error: internal error: {type(error).__name__}: {error}\n")
        return CRASHED


class _Messages(io.TextIOBase):
    """The error stream, on which nothing that a program or model says can act on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write ``text`` with its control characters made visible."""
        return self._stream.write(safe(text, newlines=True))

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()


def _run(argv: Sequence[str], out: TextIO, err: TextIO) -> int:
    parser = build_parser()
    if not argv:
        parser.print_help(err)
        return USAGE_ERROR
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            options = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    code = COMMANDS[options.command].run(options, out, err)
    out.flush()
    return code


def _speaking_utf8(stream: TextIO) -> TextIO:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    return stream


def _discard_output() -> None:
    # The reader is gone; without this the interpreter complains while it exits.
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - no text is read or written
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command family."""
    parser = argparse.ArgumentParser(
        prog="evaltui ulx", description="Run Ulexite programs.", allow_abbrev=False
    )
    parser.add_argument("-V", "--version", action="version", version=VERSION)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        sub = subparsers.add_parser(name, help=command.help, allow_abbrev=False)
        command.add_arguments(sub)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
