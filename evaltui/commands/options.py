"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProjectOption = Annotated[
    Path,
    typer.Option("--project", help="A folder inside the project.", show_default=False),
]
StoreOption = Annotated[
    str | None, typer.Option("--store", metavar="PATH", help="The trace store to use.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PlainOption = Annotated[bool, typer.Option("--plain", help="ASCII, no colour, no screen.")]
RunOption = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", help="A run such as r12; without it, the latest."),
]
ReviewerOption = Annotated[
    str | None, typer.Option("--reviewer", metavar="NAME", help="Who decides.")
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORMAT[:PATH]",
        help="text, json, jsonl, junit or markdown; repeatable; one may go to standard output.",
    ),
]
