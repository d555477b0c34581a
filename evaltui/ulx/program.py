"""From a path on the command line to a program that can run."""

from __future__ import annotations

from typing import TextIO

from evaltui.text import safe
from evaltui.ulx.checks import check_program, has_errors
from evaltui.ulx.diagnostics import Diagnostic
from evaltui.ulx.merge import MergedProgram, merge
from evaltui.ulx.modules import LoadError, load
from evaltui.ulx.report import draw


def load_program(typed: str, stdout: TextIO, stderr: TextIO) -> MergedProgram | None:
    """Load, check, merge and lower the file ``typed`` (runtime specification 0.1).

    Findings are drawn on ``stdout`` and failures written to ``stderr`` as the reference does; None
    when the program cannot run (the exit code is then 1).
    """
    try:
        loaded = load(typed)
        found = check_program(loaded)
        write_diagnostics(found, stdout)
        return None if has_errors(found) else merge(loaded)
    except LoadError as error:
        write_load_error(error, stderr)
        return None


def write_diagnostics(found: list[Diagnostic], stdout: TextIO) -> None:
    """Draw every finding."""
    for diagnostic in found:
        stdout.write(draw(diagnostic))


def write_load_error(error: LoadError, stderr: TextIO) -> None:
    """Write why a program cannot be loaded."""
    stderr.write(f"error: {safe(error.message, newlines=True)}\n")
    if error.note:
        stderr.write(f"{error.note}\n")
