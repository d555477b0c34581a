"""A run that prints: case lines in case order, findings, reports on every way out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.commands.console import Style
from evaltui.commands.places import project_option, store_option
from evaltui.commands.signals import stopping
from evaltui.commands.words import complain
from evaltui.engine.run_plan import RunPlan
from evaltui.engine.runner import Runner
from evaltui.errors import EvaltuiError, ExitCode, InternalError, StoreError
from evaltui.models import (
    CaseFinished,
    CaseSpec,
    CaseSummary,
    Event,
    Outcome,
    RunFinished,
    RunInfo,
)
from evaltui.reports import report
from evaltui.reports.base import ReportRequest, write_file
from evaltui.reports.text import case_line, labelled, write_findings
from evaltui.reports.view import ReportedCase, RunView
from evaltui.review.gates import evaluate_gates, exit_code_of

INTERRUPTED = "interrupted"


class Tally(Struct):
    """What is known of a run while it goes on."""

    rows: dict[int, CaseSummary] = field(default_factory=dict)
    by_policy: dict[int, Outcome] = field(default_factory=dict)
    incomplete: str | None = None

    def add(self, event: Event) -> None:
        """Take in what an event tells."""
        if isinstance(event, CaseFinished):
            self.rows[event.spec.index] = event.summary
            alone = event.judgement.without_decisions
            if alone is not None and alone is not event.judgement.outcome:
                self.by_policy[event.spec.index] = alone
        elif isinstance(event, RunFinished):
            self.incomplete = event.incomplete

    def summaries(self, specs: Sequence[CaseSpec]) -> list[CaseSummary]:
        """A row for every case, the ones that did not run included, removed cases last."""
        planned = [self.rows.get(spec.index) or _not_run(spec, self.incomplete) for spec in specs]
        removed = [self.rows[index] for index in sorted(self.rows) if index >= len(specs)]
        return planned + removed


def _not_run(spec: CaseSpec, why: str | None) -> CaseSummary:
    return CaseSummary(
        spec.index,
        spec.section,
        spec.case_id,
        Outcome.SKIPPED,
        spec.slices,
        message=f"not run: {why}" if why else "not run",
    )


def run_headless(
    plan: RunPlan, requests: Sequence[ReportRequest], style: Style, *, quiet: bool = False
) -> ExitCode:
    """Run ``plan`` to its end, print it and write its reports.

    Returns:
        The exit code of design section 5. Errors end the run, but not the reports.

    Raises:
        Exception: what no one expected, after the reports were written.
    """
    lines = sys.stderr if owns_stdout(requests) else sys.stdout
    tally, codes = Tally(), set[ExitCode]()
    surprise: Exception | None = None
    try:
        asyncio.run(_run(plan, tally, lines, style, quiet))
    except EvaltuiError as error:
        complain(str(error))
        codes.add(_cut_short(plan, tally, error))
    except Exception as error:
        surprise = error
        codes.add(_cut_short(plan, tally, InternalError(f"{type(error).__name__}: {error}")))
    view = view_of(plan, tally, codes)
    if not owns_stdout(requests) or lines is sys.stderr:
        print(file=lines)
        write_findings(view, lines)
        for label, text in next_steps(plan, view):
            print(labelled(label, text), file=lines)
    code = _with_reports(view, requests)
    if surprise is not None:
        raise surprise
    return code


def _cut_short(plan: RunPlan, tally: Tally, error: EvaltuiError) -> ExitCode:
    """Note what ended the run; the exit code for it."""
    plan.problems.append(str(error))
    tally.incomplete = str(error)
    plan.run = replace(plan.run, state=INTERRUPTED, problems=tuple(plan.problems))
    return ExitCode(error.exit_code)


def view_of(plan: RunPlan, tally: Tally, codes: set[ExitCode]) -> RunView:
    """The run as reports see it."""
    summaries = tally.summaries(plan.specs)
    gates = evaluate_gates(plan.run, summaries, plan.policy, tally.incomplete)
    return RunView(
        plan.run,
        summaries,
        exit_code_of({gates.exit_code, *codes}),
        gates.gates,
        gates.lines,
        gates.incomplete,
        tally.by_policy,
        None if codes else _details(plan, summaries),
    )


def _details(
    plan: RunPlan, summaries: Sequence[CaseSummary]
) -> Callable[[], Iterator[ReportedCase]]:
    def read() -> Iterator[ReportedCase]:
        for row, record in zip(summaries, plan.store.records(plan.run.id), strict=False):
            yield ReportedCase(row, record.spec, record.result, record.judgement)

    return read


def next_steps(plan: RunPlan, view: RunView) -> list[tuple[str, str]]:
    """What a person would do now."""
    steps = []
    store = store_option(plan.run.project_root, plan.store.path)
    if plan.run.state == INTERRUPTED:
        paths = " ".join(dict.fromkeys(_path(plan.run, n) for n in range(len(plan.run.sections))))
        steps.append(("resume", f"evaltui run {paths} --resume {plan.run.label}{store}"))
    if any(row.red for row in view.summaries):
        where = project_option(plan.run.project_root)
        steps.append(("review", f"evaltui review {plan.run.label}{where}{store}"))
    return steps


def _path(run: RunInfo, number: int) -> str:
    from evaltui.reports.view import quoted

    section = run.sections[number]
    return quoted(os.path.relpath(os.path.join(section.folder, section.suite)))  # noqa: PTH118


def owns_stdout(requests: Sequence[ReportRequest]) -> bool:
    """Whether a report without a path takes the standard output."""
    return any(request.path is None for request in requests)


def write_reports(view: RunView, requests: Sequence[ReportRequest]) -> None:
    """Write every report that was asked for.

    Raises:
        UsageError: a file cannot be written; the others are.
        StoreError: the details of the cases cannot be read; the reports do without them.
    """
    sys.stdout.flush()
    failures: list[EvaltuiError] = []
    for request in requests:
        try:
            _write_report(view, request)
        except StoreError as error:
            failures.append(error)
            _write_report(replace(view, details=None), request)
        except EvaltuiError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _write_report(view: RunView, request: ReportRequest) -> None:
    write = report(request.format)
    if request.path is None:
        write(view, sys.stdout)
    else:
        write_file(request.path, lambda out: write(view, out))


def _with_reports(view: RunView, requests: Sequence[ReportRequest]) -> ExitCode:
    try:
        write_reports(view, requests)
    except EvaltuiError as error:
        complain(str(error))
        return exit_code_of({ExitCode(view.exit_code), ExitCode.USAGE})
    return ExitCode(view.exit_code)


async def _run(plan: RunPlan, tally: Tally, lines: TextIO, style: Style, quiet: bool) -> None:
    runner = Runner(plan)
    view = RunView(plan.run, (), 0)
    with _interrupts(runner):
        printed = _counted(runner.events(), tally)
        async for event in in_case_order(printed, len(plan.specs)):
            if isinstance(event, CaseFinished) and not quiet:
                line = case_line(view, event.summary, glyphs=style.glyphs, colour=style.colour)
                lines.write(f"{line}\n")
            if runner.caught_up:
                # A pipe is read by people, too, while a run goes on.
                lines.flush()


async def _counted(events: AsyncIterator[Event], tally: Tally) -> AsyncIterator[Event]:
    async for event in events:
        tally.add(event)
        yield event


async def in_case_order(events: AsyncIterator[Event], total: int) -> AsyncIterator[Event]:
    """The same events, with cases held back until all before them have ended."""
    waiting: dict[int, CaseFinished] = {}
    following = 0
    async for event in events:
        if not isinstance(event, CaseFinished):
            if isinstance(event, RunFinished):
                for index in sorted(waiting):
                    yield waiting[index]
            yield event
            continue
        waiting[event.spec.index] = event
        while following in waiting:
            yield waiting.pop(following)
            following += 1


@contextmanager
def _interrupts(runner: Runner) -> Iterator[None]:
    """A signal that asks for the end stops the run, a second one leaves at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        print("\nstopping; press Ctrl+C again to leave at once", file=sys.stderr, flush=True)
        loop.call_soon_threadsafe(runner.stop, INTERRUPTED)

    with stopping(stop):
        yield
