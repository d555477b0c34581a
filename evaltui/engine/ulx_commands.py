"""The ``ulx`` commands that run programs, behind their arguments."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TextIO

from evaltui.engine.failures import RuntimeFailure, Suspended
from evaltui.engine.run_manifest import RunManifest
from evaltui.engine.ulx_benchmark import run_benchmark, write_report
from evaltui.engine.ulx_session import CommandFailure, start_run
from evaltui.errors import EvaltuiError
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
    stderr.write(f"error: {text}\n")
    return FAILED


def bench(options: Namespace, stdout: TextIO, stderr: TextIO) -> int:
    """``ulx bench FILE NAME [--mock] [--run-id ID] [--provider NAME]... [--update-snapshots]``."""
    merged = load_program(options.file, stdout, stderr)
    if merged is None:
        return FAILED
    asked = RunManifest(
        options.file,
        benchmark=options.benchmark,
        selected_providers=options.provider,
        force_mock=options.mock,
    )

    def work() -> int:
        with start_run(merged, asked, options.run_id, stderr) as session:
            rows = run_benchmark(session, options.benchmark, update=options.update_snapshots)
            return write_report(options.benchmark, session.run_id, rows, stdout)

    return reporting(work, stderr)
