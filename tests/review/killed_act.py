"""Accepts three cases and kills itself after a given number of steps: ``killed_act.py ROOT N``.

Run as a program of its own by ``test_crash.py``.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from evaltui.clock import Clock, Ids
from evaltui.models import Action, Cause
from evaltui.project import Policy
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import DecisionForm, Session
from evaltui.store.store import open_store


def main(root: Path, deadly: int) -> None:
    clock = Clock(lambda: datetime(2026, 3, 1, 13, tzinfo=UTC))
    steps = iter(range(1, 1_000))

    def step(_: str) -> None:
        if next(steps) == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    store = open_store(root / ".evaltui" / "trace.db", clock)
    session = Session.open(store, "run-1", Policy(), clock, Ids(), step=step)
    plan = session.plan(Action.ACCEPT_BASELINE, range(3))
    session.commit(plan, DecisionForm(Reviewer("ana"), "better", Cause.OTHER))


main(Path(sys.argv[1]), int(sys.argv[2]))
