"""Accepts all cases of the latest run and kills itself after step N: ``killed_accept.py ROOT N``.

Run as a program of its own by ``test_killed_processes.py``.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path

from evaltui.clock import Ids, system_clock
from evaltui.models import Action, Cause
from evaltui.project import load_policy, store_path
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import DecisionForm, Session
from evaltui.store import open_store


def main(root: Path, deadly: int) -> None:
    steps = count(1)

    def step(name: str) -> None:
        print(name, flush=True)
        if next(steps) == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    clock = system_clock()
    with open_store(store_path(root), clock) as store:
        run = store.run(None)
        session = Session.open(store, run.id, load_policy(root), clock, Ids(), step=step)
        plan = session.plan(Action.ACCEPT_BASELINE, range(len(session.rows)))
        session.commit(plan, DecisionForm(Reviewer("ana"), "better", Cause.OTHER))


main(Path(sys.argv[1]), int(sys.argv[2]))
