"""Reports of a run that could not start: they say why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evaltui.clock import Clock, system_clock
from evaltui.engine.requests import RunRequest
from evaltui.errors import EvaltuiError, IncompleteRun, InternalError, UsageError
from evaltui.models import Mode, RunInfo
from evaltui.reports.base import ReportRequest


@contextmanager
def reported(request: RunRequest, reports: Sequence[ReportRequest]) -> Iterator[None]:
    """Write the reports when the block fails in whatever way; the failure goes on."""
    try:
        yield
    except EvaltuiError as error:
        _try_to_report(request, error, reports)
        raise
    except KeyboardInterrupt:
        _try_to_report(request, IncompleteRun("interrupted before the first case"), reports)
        raise
    except Exception as error:
        _try_to_report(request, InternalError(f"{type(error).__name__}: {error}"), reports)
        raise


def _try_to_report(
    request: RunRequest, error: EvaltuiError, reports: Sequence[ReportRequest]
) -> None:
    """As ``report_failure``; what fails here is only said, the first error counts."""
    from evaltui.commands.words import complain

    try:
        report_failure(request, error, reports)
    except EvaltuiError as second:
        complain(str(second))


def report_failure(
    request: RunRequest, error: EvaltuiError, reports: Sequence[ReportRequest]
) -> None:
    """Write the reports that were asked for, without a case in them.

    Raises:
        UsageError: a file cannot be written.
    """
    from evaltui.commands.headless import write_reports
    from evaltui.reports.view import RunView

    if not reports:
        return
    clock = _clock()
    info = RunInfo(
        id="",
        label="",
        started_at=clock.stamp(),
        mode=Mode.MOCK if request.mock else Mode.LIVE,
        instrument="",
        policy_digest="",
        sections=(),
        arguments=request.arguments,
        project_root="",
        state="not started",
        problems=(str(error),),
        clock=clock.fixed,
    )
    write_reports(RunView(info, (), error.exit_code, incomplete=str(error)), reports)


def _clock() -> Clock:
    """The clock of the run; the real one when ``EVALTUI_NOW`` names no moment."""
    try:
        return system_clock()
    except UsageError:
        return system_clock({})
