"""``evaltui check`` and ``evaltui fmt``: Ulexite sources, checked and put in order."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import JsonOption
from evaltui.errors import ExitCode
from evaltui.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaltui.ulx.findings import Finding
    from evaltui.ulx.rewriting import SourceToFormat
    from evaltui.ulx.workspace import Workspace

PathsArgument = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="Ulexite files, or folders that hold them.")
]


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


FormatOption = Annotated[
    Format, typer.Option("--format", help="For people, for programs, or as GitHub annotations.")
]
CheckOption = Annotated[bool, typer.Option("--check", help="Write nothing; 1 when files would.")]
DiffOption = Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command("check")(check)
    app.command("fmt")(fmt)


def check(
    paths: PathsArgument,
    format_: FormatOption = Format.TEXT,
    as_json: JsonOption = False,
) -> int:
    """Find what is wrong in Ulexite files and all they import.

    Exits with 0 when there are no errors (there may be warnings), 1 when there are, and 2 when a
    file cannot be read.
    """
    from evaltui.ulx.source_files import source_files
    from evaltui.ulx.workspace import Workspace

    workspace = Workspace(Path())
    unreadable = [not _checked(workspace, file) for file in source_files(paths)]
    _print_findings(workspace, Format.JSON if as_json else format_)
    if any(unreadable):
        return ExitCode.USAGE
    failed = any(finding.is_error for finding in workspace.findings)
    return ExitCode.GATE_FAILED if failed else ExitCode.OK


def _checked(workspace: Workspace, file: str) -> bool:
    from evaltui.errors import SuiteError

    try:
        workspace.check(file)
    except SuiteError as error:
        _complain(str(error))
        return False
    return True


def _print_findings(workspace: Workspace, format_: Format) -> None:
    from evaltui.commands.console import print_json, style_for
    from evaltui.ulx.finding_text import members, summary, text, workflow_commands

    findings = workspace.findings
    if format_ is Format.JSON:
        print_json([members(finding) for finding in findings])
    elif format_ is Format.GITHUB:
        for line in workflow_commands(findings):
            print(line)
    else:
        colour = style_for(sys.stdout, plain=False).colour
        for finding in findings:
            print(text(finding, colour=colour))
        print(summary(findings, len(workspace.files)))


def fmt(paths: PathsArgument, check: CheckOption = False, diff: DiffOption = False) -> int:
    """Put Ulexite files into the usual layout; comments and single empty lines stay.

    Exits with 0 when all is well, 1 when `--check` or `--diff` found a file to change, and 2 when
    a file cannot be read, parsed or written.
    """
    from evaltui.ulx.source_files import source_files

    return max(_formatted(file, check, diff) for file in source_files(paths))


def _formatted(file: str, check: bool, diff: bool) -> ExitCode:
    from evaltui.errors import SuiteError
    from evaltui.ulx.rewriting import SourceToFormat, SyntaxFindings

    try:
        source = SourceToFormat(file)
        if not source.changes:
            return ExitCode.OK
        if check or diff:
            return _would_change(source, diff)
        source.write()
        print(f"formatted {safe(file)}")
        return ExitCode.OK
    except SyntaxFindings as error:
        _print_syntax_errors(error.findings)
    except SuiteError as error:
        _complain(str(error))
    return ExitCode.USAGE


def _would_change(source: SourceToFormat, diff: bool) -> ExitCode:
    if diff:
        print(safe(source.diff(), newlines=True), end="")
    else:
        print(f"would reformat {safe(source.file)}")
    return ExitCode.GATE_FAILED


def _print_syntax_errors(findings: Sequence[Finding]) -> None:
    from evaltui.commands.console import style_for
    from evaltui.ulx.finding_text import text

    colour = style_for(sys.stderr, plain=False).colour
    for finding in findings:
        print(text(finding, colour=colour), file=sys.stderr)


def _complain(message: str) -> None:
    print(f"evaltui: error: {safe(' '.join(message.split()))}", file=sys.stderr)
