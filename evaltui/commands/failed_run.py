"""Reports of a run that could not start: they say why."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.engine.requests import RunRequest
from evaltui.errors import EvaltuiError
from evaltui.models import Mode, RunInfo
from evaltui.reports.base import ReportRequest


def report_failure(
    request: RunRequest, error: EvaltuiError, reports: Sequence[ReportRequest], stamp: str
) -> None:
    """Write the reports that were asked for, without a case in them.

    Raises:
        UsageError: a file cannot be written.
    """
    from evaltui.commands.headless import write_reports
    from evaltui.reports.view import RunView

    if not reports:
        return
    info = RunInfo(
        id="",
        label="",
        started_at=stamp,
        mode=Mode.MOCK if request.mock else Mode.LIVE,
        instrument="",
        policy_digest="",
        sections=(),
        arguments=request.arguments,
        project_root="",
        state="not started",
        problems=(str(error),),
    )
    write_reports(RunView(info, (), error.exit_code, incomplete=str(error)), reports)
