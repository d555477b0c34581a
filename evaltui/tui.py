"""Starts the screens: the only module of the package, besides them, that knows Textual.

A run that is started here runs in a process of its own, which is up before the app is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from evaltui.collector import calm_collector
from evaltui.errors import EvaltuiError, ExitCode

if TYPE_CHECKING:
    from evaltui.clock import Clock, Ids
    from evaltui.engine.requests import RunRequest
    from evaltui.models import RunInfo
    from evaltui.review.session import Session
    from evaltui.screens.bench import Bench

Farewell = Callable[["Session"], None]
"""Prints the summary of a session once the terminal is back."""


class RunFailed(EvaltuiError):
    """The runner could not start, or died before there was anything to show."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.exit_code = code


def open_run(
    request: RunRequest, clock: Clock, ids: Ids, farewell: Farewell, introduction: str = ""
) -> ExitCode:
    """Run what was asked for and show it; answers what ``--ci`` would answer now.

    ``introduction`` stands in the status line while the run goes on.

    Raises:
        EvaltuiError: the run could not start; nothing was shown.
    """
    from evaltui.engine.child_run import ChildRun

    child = ChildRun.start(request)
    try:
        from evaltui.review.live import LiveRun
        from evaltui.screens.bench import Bench

        live = LiveRun(child, lambda: time.monotonic() * 1000)
        opener = session_opener(request, clock, ids)
        bench = Bench(live=live, open_session=opener, introduction=introduction)
        _show(bench)
    finally:
        child.close()
    if bench.session is None:
        code = ExitCode(live.exit_code or ExitCode.INCOMPLETE)
        raise RunFailed(live.problem or "the run was left before it began", code)
    with bench.session.store:
        return _leave(bench.session, farewell)


def open_review(session: Session, farewell: Farewell) -> ExitCode:
    """Show a stored run; answers what ``--ci`` would answer now."""
    from evaltui.screens.bench import Bench

    _show(Bench(session=session))
    return _leave(session, farewell)


def _show(bench: Bench) -> None:
    from evaltui.screens.app import EvaltuiApp

    calm_collector()
    app = EvaltuiApp(bench)
    app.run()
    if app.return_code:
        raise RunFailed("the screen ended unexpectedly; rows are kept", ExitCode.INTERNAL)


def _leave(session: Session, farewell: Farewell) -> ExitCode:
    code = session.gate_report().exit_code
    farewell(session)
    return code


def session_opener(request: RunRequest, clock: Clock, ids: Ids) -> Callable[[RunInfo], Session]:
    """Opens the run in the store that the runner made."""

    def opened(run: RunInfo) -> Session:
        from evaltui.engine.project import open_project
        from evaltui.review.reviewer import find_reviewer
        from evaltui.review.session import Session
        from evaltui.store.store import open_store

        root = Path(run.project_root)
        project = open_project(root, request.store)
        store = open_store(project.store, clock, create=False)
        reviewer = find_reviewer(request.reviewer, root)
        return Session.open(store, run.id, project.policy, clock, ids, reviewer=reviewer, live=True)

    return opened
