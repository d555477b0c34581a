"""``evaltui runs import``: runs that were not run here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import JsonOption, ProjectOption, StoreOption
from evaltui.errors import ExitCode

if TYPE_CHECKING:
    from evaltui.engine.importing import Imported
    from evaltui.engine.project import Project
    from evaltui.redaction import SecretScanner


def import_runs(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A .ulexite folder, or a project that holds one."),
    ],
    project: ProjectOption = Path(),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Take runs of `ulx` into the store: to look at, and to replay their answers.

    They are not judged and never become baselines. Importing twice adds nothing; what cannot be
    read is skipped and counted.
    """
    from evaltui.clock import system_clock
    from evaltui.commands.console import print_json
    from evaltui.engine.importing import read_source, take_in
    from evaltui.engine.project import open_project
    from evaltui.store.store import open_store

    home = open_project(project, store)
    found = read_source(path, _scanner(home, path))
    with open_store(home.store, system_clock()) as opened:
        imported = take_in(opened, found)
    if as_json:
        print_json(_members(imported))
    else:
        for line in _lines(imported):
            print(line)
    return ExitCode.OK


def _scanner(project: Project, path: Path) -> SecretScanner:
    """Knows the keys of the environment and of the ``.env`` files of both projects."""
    from evaltui.providers.dotenv import load_environment
    from evaltui.redaction import SecretScanner

    scanner = SecretScanner(project.policy.redaction.patterns)
    for folder in (project.root, path, path.absolute().parent):
        if folder.is_dir():
            scanner.learn(load_environment(folder, os.environ))
    return scanner


def _members(imported: Imported) -> dict[str, object]:
    return {
        "runs": [
            {"label": run.label, "id": run.id, "imported": run.imported} for run in imported.runs
        ],
        "known": imported.known,
        "answers": imported.answers,
        "skipped": {what: number for what, number in sorted(imported.skipped.items()) if number},
    }


def _lines(imported: Imported) -> Iterator[str]:
    from evaltui.commands.console import count
    from evaltui.text import one_line

    for run in imported.runs:
        (section,) = run.sections
        yield one_line(f"{run.label}  {run.imported}: {section.suite}: {section.benchmark}", 200)
    known = f", {imported.known} known already" if imported.known else ""
    answers = f"; {count(imported.answers, 'cached answer')} kept" if imported.answers else ""
    yield f"{count(len(imported.runs), 'run')} imported{known}{answers}"
    skipped = [f"{what}: {number}" for what, number in sorted(imported.skipped.items()) if number]
    if skipped:
        yield f"skipped: {', '.join(skipped)}"
