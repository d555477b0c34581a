"""Running a benchmark as ``ulx`` does, row after row, and its report (runtime spec 8)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from evaltui.engine import snapshots
from evaltui.engine.benchmark import CompiledBenchmark, Execution
from evaltui.engine.carriers import Value, equal
from evaltui.engine.failures import Suspended, type_error
from evaltui.engine.rendering import display
from evaltui.engine.ulx_effects import UlxEffects
from evaltui.engine.ulx_session import UlxSession
from evaltui.engine.values import JsonError
from evaltui.ulx.reading import os_error_text


class SnapshotFiles(Struct, frozen=True):
    """The baselines of one benchmark; ``update`` writes every value it sees."""

    folder: Path
    benchmark: str
    update: bool = False

    def compare(self, key: str, value: Value) -> tuple[bool, str]:
        """Compare with the baseline of ``key``, or record it when there is none (8.5).

        Raises:
            RuntimeFailure: the file cannot be read or written.
        """
        path = snapshots.path_of(self.folder, self.benchmark, key)
        if self.update or not os.path.exists(path):  # noqa: PTH110 - quicker, and this runs per row
            self._write(path, key, value)
            what = "updated baseline" if self.update else "recorded (new baseline)"
            return True, f"{what} `{key}`: {display(value)}"
        baseline = _read(path, key)
        if equal(baseline, value):
            return True, f"matches baseline `{key}`"
        return False, (
            f"snapshot `{key}` differs from baseline:\n"
            f"  baseline: {display(baseline)}\n  actual:   {display(value)}"
        )

    def _write(self, path: Path, key: str, value: Value) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(snapshots.encode(key, value))
        except OSError as error:
            raise type_error(
                f"snapshot `{key}`: failed to write baseline: {os_error_text(error)}"
            ) from error


def _read(path: Path, key: str) -> Value:
    problem = f"snapshot `{key}`: failed to read baseline: "
    try:
        return snapshots.read(path)
    except OSError as error:
        raise type_error(problem + os_error_text(error)) from error
    except JsonError as error:
        raise type_error(f"{problem}{error}") from error


class Row(Struct, frozen=True):
    """What one row came to: the kinds and messages of its failed checks, or a suspension."""

    failures: tuple[tuple[str, str], ...] = ()
    suspension: Suspended | None = None

    @property
    def passed(self) -> bool:
        """Whether the row came to its end and nothing failed."""
        return self.suspension is None and not self.failures


def run_benchmark(session: UlxSession, name: str, *, update: bool = False) -> list[Row]:
    """Run all rows of a benchmark in order.

    Raises:
        RuntimeFailure: there is no such benchmark or dataset, or a row failed; what came before
            has left its traces, cache entries and snapshots.
    """
    benchmark = session.program.benchmark(name)
    effects = session.effects()
    files = SnapshotFiles(session.folder, name, update)
    rows = benchmark.load_rows(effects)
    return [_row(benchmark, row, effects, files) for row in rows]


def _row(
    benchmark: CompiledBenchmark, row: Value, effects: UlxEffects, files: SnapshotFiles
) -> Row:
    execution = benchmark.execute(row, effects, files.compare)
    if execution.error is not None:
        raise execution.error
    if execution.suspension is not None:
        return Row(suspension=execution.suspension)
    return Row(tuple(_failures(execution)))


def _failures(execution: Execution) -> Iterator[tuple[str, str]]:
    return ((str(check.kind), check.message) for check in execution.checks if not check.passed)


def write_report(name: str, run_id: str, rows: list[Row], stdout: TextIO) -> int:
    """Print the report (8.6); the exit code is 0 when all rows passed, else 1."""
    for index, row in enumerate(rows):
        stdout.writelines(f"{line}\n" for line in _lines(index, row))
    passed = sum(row.passed for row in rows)
    waiting = [index for index, row in enumerate(rows) if row.suspension is not None]
    suspended = f", {len(waiting)} suspended" if waiting else ""
    stdout.write(f"{name}: {passed}/{len(rows)} row(s) passed{suspended}\n")
    if waiting:
        stdout.write(f"{resume_line(run_id)}   -- resolves row {waiting[0]}\n")
    return 0 if passed == len(rows) else 1


def resume_line(run_id: str) -> str:
    """How to answer the escalation that a run waits for."""
    return f"resume with: ulx approve {run_id} --value <text>   (or: ulx deny {run_id})"


def _lines(index: int, row: Row) -> Iterator[str]:
    if row.suspension is not None:
        waiting = row.suspension
        yield f"row {index}: SUSPENDED — waiting on `{waiting.target}` — {waiting.reason}"
        return
    yield f"row {index}: {'PASS' if row.passed else 'FAIL'}"
    for kind, message in row.failures:
        yield f"  - {kind} failed: {message}"
