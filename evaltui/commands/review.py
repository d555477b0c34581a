"""``evaltui review``: triage of a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaltui.commands.options import (
    JsonOption,
    PlainOption,
    ProjectOption,
    ReportOption,
    ReviewerOption,
    StoreOption,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command("review")(review)


def review(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="A run such as r12; else the latest.")
    ] = None,
    reviewer: ReviewerOption = None,
    plain: PlainOption = False,
    ci: Annotated[bool, typer.Option("--ci", help="Print, do not open a screen.")] = False,
    report: ReportOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Open a stored run for triage; without a terminal, print it as it stands now."""
    import sys

    from evaltui.clock import Ids, system_clock
    from evaltui.commands.console import on_terminal
    from evaltui.commands.headless import write_reports
    from evaltui.commands.stored import opened, view_of_session
    from evaltui.reports import formats
    from evaltui.reports import report as report_named
    from evaltui.reports.base import parse_requests
    from evaltui.review.reviewer import find_reviewer
    from evaltui.review.session import Session

    requests = parse_requests(report or [], formats())
    with opened(project, store, read_only=False) as stored:
        info = stored.run(run)
        session = Session.open(
            stored.store,
            info.id,
            stored.project.policy,
            system_clock(),
            Ids(),
            reviewer=find_reviewer(reviewer, stored.project.root),
        )
        if on_terminal(ci=ci or as_json, plain=plain):
            from evaltui.commands.on_screen import review_on_screen

            return review_on_screen(session, requests)
        view = view_of_session(session)
        write_reports(view, requests)
        if not any(request.path is None for request in requests):
            report_named("json" if as_json else "text")(view, sys.stdout)
        return view.exit_code
