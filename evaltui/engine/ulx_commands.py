"""The ``ulx`` commands that run programs, behind their arguments."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TextIO

from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.machine import too_deep
from evaltui.engine.run_manifest import RunManifest
from evaltui.engine.ulx_benchmark import run_benchmark, write_report
from evaltui.engine.ulx_session import CommandFailure, start_run
from evaltui.errors import EvaltuiError
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.program import load_program

FAILED = 1


def reporting(work: Callable[[], int], stderr: TextIO) -> int:
    """The exit code of ``work``; a failure is one ``error:`` text on ``stderr`` and exit 1."""
    try:
        return work()
    except (RuntimeFailure, CommandFailure) as failure:
        text = failure.text
    except Suspended as suspension:
        text = str(suspension)
    except EvaltuiError as error:
        text = error.message
    except RecursionError:
        text = too_deep().text
    stderr.write(f"error: {text}\n")
    return FAILED


def _with_program(
    file: str, work: Callable[[MergedProgram], int], stdout: TextIO, stderr: TextIO
) -> int:
    merged = load_program(file, stdout, stderr)
    return FAILED if merged is None else reporting(lambda: work(merged), stderr)


def bench(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx bench FILE BENCHMARK``."""
    asked = RunManifest(
        options.file,
        benchmark=options.benchmark,
        selected_providers=options.provider,
        force_mock=options.mock,
    )

    def work(merged: MergedProgram) -> int:
        with start_run(merged, asked, options.run_id, stderr) as session:
            rows = run_benchmark(session, options.benchmark, update=options.update_snapshots)
            return write_report(options.benchmark, session.run_id, rows, stdout)

    return _with_program(options.file, work, stdout, stderr)


def run(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx run FILE CONVERSATION``."""
    from evaltui.engine.artifacts import artifact_problem
    from evaltui.engine.ulx_conversation import run_and_print, run_interactively
    from evaltui.engine.ulx_effects import Mode

    def work(merged: MergedProgram) -> int:
        arguments = _arguments(options.arg)
        target = merged.conversations.get(options.conversation)
        problem = artifact_problem(target.parameters, arguments) if target is not None else None
        if problem is not None:
            raise CommandFailure(problem)
        asked = RunManifest(
            options.file, options.conversation, None, arguments, options.provider, options.mock
        )
        mode = Mode(reads_cache=not options.no_cache)
        with start_run(merged, asked, options.run_id, stderr) as session:
            if options.interactive:
                return run_interactively(
                    session, asked.conversation, arguments, (stdout, stderr), sys.stdin, mode
                )
            return run_and_print(
                session, asked.conversation, arguments, options.output, (stdout, stderr), mode
            )

    return _with_program(options.file, work, stdout, stderr)


def _arguments(given: list[str]) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for argument in given:
        name, mark, value = argument.partition("=")
        if not mark:
            raise CommandFailure(f"--arg `{argument}` must be in `name=value` form")
        arguments[name] = value
    return arguments


def approve(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx approve ID``."""
    from evaltui.engine.ulx_resume import answer_run

    return reporting(lambda: answer_run(options, options.value, (stdout, stderr)), stderr)


def deny(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx deny ID``."""
    from evaltui.engine.carriers import fail
    from evaltui.engine.ulx_conversation import DENIED
    from evaltui.engine.ulx_resume import DENIAL_NOTE, answer_run

    reason = DENIED if options.note is None else options.note
    if options.output == "text":
        stdout.write(f"run `{options.run_id}` denied: {reason}\n{DENIAL_NOTE}")
    return reporting(lambda: answer_run(options, fail(reason), (stdout, stderr)), stderr)


def replay(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx replay ID``."""
    from evaltui.engine.ulx_resume import replay_run

    return reporting(lambda: replay_run(options, (stdout, stderr)), stderr)


def trace(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx trace ID``."""
    from evaltui.engine.run_output import trace_view
    from evaltui.ulx.reading import os_error_text

    try:
        stdout.write(trace_view(options.output, options.run_id))
    except OSError as error:
        stderr.write(
            f"error: could not read trace for `{options.run_id}`: {os_error_text(error)}\n"
        )
        return FAILED
    return 0


def plan(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx plan FILE CONVERSATION``."""
    from evaltui.engine.plan import make_plan, write_plan

    def work(merged: MergedProgram) -> int:
        arguments = _arguments(options.arg)
        rows = make_plan(merged, options.conversation, arguments, options.provider)
        return write_plan(options.conversation, rows, stdout)

    return _with_program(options.file, work, stdout, stderr)


def calibrate(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx eval calibrate FILE DATASET JUDGE``."""
    from evaltui.engine.calibration import calibrate as compare
    from evaltui.engine.calibration import write_calibration
    from evaltui.engine.run_manifest import new_run_id
    from evaltui.engine.ulx_session import open_session

    asked = RunManifest(options.file, selected_providers=options.provider, force_mock=options.mock)

    def work(merged: MergedProgram) -> int:
        with open_session(merged, asked, new_run_id([options.file, options.judge])) as session:
            found = compare(session, options.dataset, options.judge)
            return write_calibration(
                options.judge, options.dataset, found, options.threshold, stdout
            )

    return _with_program(options.file, work, stdout, stderr)
