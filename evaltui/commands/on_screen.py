"""Screens from the command line: afterwards, what ``--ci`` would have left behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaltui.engine.requests import RunRequest
    from evaltui.models import RunInfo
    from evaltui.reports.base import ReportRequest
    from evaltui.review.session import Session


def run_on_screen(
    request: RunRequest, reports: Sequence[ReportRequest], introduction: str = ""
) -> int:
    """Run in the screen; when it is left, print the summary and write the reports."""
    from evaltui.clock import Ids, system_clock
    from evaltui.commands.failed_run import reported
    from evaltui.tui import open_run

    with reported(request, reports):
        return int(open_run(request, system_clock(), Ids(), _farewell(reports), introduction))


def review_on_screen(session: Session, reports: Sequence[ReportRequest]) -> int:
    """Review in the screen; when it is left, print the summary and write the reports."""
    from evaltui.tui import open_review

    return int(open_review(session, _farewell(reports)))


def _farewell(reports: Sequence[ReportRequest]) -> Callable[[Session], None]:
    def say(session: Session) -> None:
        import sys

        from evaltui.commands.headless import write_reports
        from evaltui.commands.stored import view_of_session
        from evaltui.reports.text import labelled, write_findings

        view = view_of_session(session)
        out = sys.stderr if any(one.path is None for one in reports) else sys.stdout
        write_findings(view, out)
        print(labelled("in CI", ci_line(session.run)), file=out)
        write_reports(view, reports)

    return say


def ci_line(run: RunInfo) -> str:
    """The command that does the same without a screen."""
    from evaltui.reports.view import quoted

    words = [word for word in run.arguments if word not in ("--ci", "--plain")]
    if not words or words[0] != "run":
        words = ["run", *(section.suite for section in run.sections[:1])]
    return " ".join(map(quoted, ("evaltui", *words, "--ci")))
