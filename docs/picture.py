"""Draw the pictures of the documentation from the real app over the real demo.

Usage: ``python docs/picture.py`` writes ``docs/triage.svg`` and ``docs/diff.svg``.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from evaltui import demo
from evaltui.clock import Ids, system_clock
from evaltui.engine.preparing import prepare
from evaltui.engine.requests import RunRequest
from evaltui.engine.runner import Runner
from evaltui.review.reviewer import Reviewer
from evaltui.review.session import Session
from evaltui.screens.app import EvaltuiApp
from evaltui.screens.bench import Bench

FOLDER = Path(__file__).parent
SIZE = (120, 38)


async def draw(project: Path) -> None:
    """Run the suite below ``project``, open it, and draw the run and one pair."""
    clock, ids = system_clock(), Ids()
    plan = prepare(RunRequest((demo.SUITE,), str(project)), clock, ids)
    async for _ in Runner(plan).events():
        pass
    with plan.store as store:
        session = Session.open(
            store, plan.run.id, plan.policy, clock, ids, reviewer=Reviewer("demo")
        )
        app = EvaltuiApp(Bench(session=session))
        async with app.run_test(size=SIZE) as pilot:
            await _save(app, "triage.svg")
            await pilot.press("n", "enter")
            await _save(app, "diff.svg")


async def _save(app: EvaltuiApp, name: str) -> None:
    """Write a picture that needs no font from elsewhere."""
    await _settled(app)
    picture = re.sub(r"@font-face \{.*?\}", "", app.export_screenshot(), flags=re.DOTALL)
    picture = re.sub(r"font-family: [^;]*;", "font-family: monospace;", picture)
    (FOLDER / name).write_text(picture, encoding="utf-8")


async def _settled(app: EvaltuiApp) -> None:
    await asyncio.sleep(1)
    await app.workers.wait_for_complete()


def main() -> None:
    with TemporaryDirectory() as folder:
        suite = demo.prepare(Path(folder, "evaltui-demo"), system_clock(), Ids())
        asyncio.run(draw(suite.parent))


if __name__ == "__main__":
    main()
