"""Which rows of a stored run may mean something else by now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from evaltui.clock import Clock
from evaltui.models import CaseSummary, Gate, RunInfo
from evaltui.review.context import ReviewContext

_ADOPTABLE = (Gate.NEW, Gate.UNREVIEWED, Gate.EXPIRED, Gate.CONFLICT)


def stale_rows(
    context: ReviewContext, run: RunInfo, rows: Iterable[CaseSummary], clock: Clock
) -> list[int]:
    """Cases whose meaning depends on decisions, days or baselines that moved since the run.

    Nothing is stale on the day of the run while no file of its suite folders came or went since
    it began.
    """
    if _untouched(run, clock):
        return []
    return [row.index for row in rows if _depends(context, row)]


def _depends(context: ReviewContext, row: CaseSummary) -> bool:
    if row.decision or row.removed or any(gate in _ADOPTABLE for gate in row.gates):
        return True
    view = context.section(row.section)
    if row.case_id in view.cases:
        return True
    return bool(view.chains.wide_tolerances or view.chains.wide_values) and row.red


def _untouched(run: RunInfo, clock: Clock) -> bool:
    if clock.fixed is not None or run.clock is not None or run.finished_at is None:
        return False
    # Decisions are read once, when a run starts: one made meanwhile is not in its rows.
    began = datetime.fromisoformat(run.started_at)
    if began.date() != clock.today():
        return False
    folders = {Path(one.folder) / "decisions" for one in run.sections}
    folders |= {Path(one.folder) / "snapshots" / one.benchmark for one in run.sections}
    return all(_changed_at(folder) < began.timestamp() for folder in folders)


def _changed_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
