"""The sample project of ``evaltui demo``, copied and given a past.

The packaged sample holds a suite, its data and its answers. Its folder ``before`` says how things
stood earlier: other rows, other answers, and what was decided then, in days counted from today.
That past is made by really running the earlier state and deciding on it, in a workshop beside the
copy, so that decisions and baselines are what any other project would have.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from evaltui.clock import Clock, Ids
from evaltui.errors import UsageError
from evaltui.models import Action, Cause

if TYPE_CHECKING:
    from evaltui.engine.run_plan import RunPlan

REVIEWER = "demo"
SUITE = "support.ulx"
_PAST = "before"
_ACCEPTED = ("decisions", "snapshots")
_LOCAL = shutil.ignore_patterns(_PAST, ".evaltui", ".ulexite")


class PastAct(Struct, frozen=True):
    """One acceptance of the past. Days count from today; no cases: all that nothing else names."""

    cases: tuple[str, ...]
    decided: int
    expires: int
    cause: Cause
    reason: str
    check: str | None = None


def prepare(folder: Path, clock: Clock, ids: Ids, *, reset: bool = False) -> Path:
    """Copy the sample to ``folder`` with decisions dated from today, and answer its suite's path.

    An earlier copy is left as it is, unless ``reset`` asks for a new one.

    Raises:
        UsageError: something else is at ``folder``, or it cannot be written.
    """
    if folder.exists() and not _is_copy(folder):
        raise UsageError(
            f"{folder} exists and is no copy of the demo", hint="run evaltui demo in another folder"
        )
    if reset or not folder.exists():
        try:
            _make(folder, clock, ids)
        except OSError as error:
            raise UsageError(f"cannot copy the demo: {error.strerror}", place=str(folder)) from None
    return folder / SUITE


def _is_copy(folder: Path) -> bool:
    own, suite = files("evaltui") / "samples" / "demo" / SUITE, folder / SUITE
    return suite.is_file() and _title(suite.read_bytes()) == _title(own.read_bytes())


def _title(suite: bytes) -> bytes:
    return suite.split(b"\n")[0]


def _make(folder: Path, clock: Clock, ids: Ids) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        as_file(files("evaltui") / "samples" / "demo") as sample,
        TemporaryDirectory(prefix=".evaltui-demo-", dir=folder.parent) as workshop,
    ):
        past, present = Path(workshop, "past"), Path(workshop, "present")
        shutil.copytree(sample, past, ignore=_LOCAL)
        _turn_back(past, sample / _PAST)
        _decide(
            past, tomllib.loads((sample / _PAST / "decisions.toml").read_text("utf-8")), clock, ids
        )
        shutil.copytree(sample, present, ignore=_LOCAL)
        for name in _ACCEPTED:
            shutil.copytree(past / name, present / name, dirs_exist_ok=True)
        if folder.exists():
            folder.rename(Path(workshop, "old"))
        present.rename(folder)


def _turn_back(project: Path, past: Path) -> None:
    """Give a copy the rows and answers of the past; nothing waits there."""
    for rows in (past / "data").glob("*.jsonl"):
        current = project / "data" / rows.name
        earlier = {row["id"]: row for row in [*_lines(current), *_lines(rows)]}
        _write_lines(current, earlier.values())
    answers = project / "answers.jsonl"
    _write_lines(answers, map(_at_once, [*_lines(past / "answers.jsonl"), *_lines(answers)]))


def _at_once(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in answer.items() if name != "delay_ms"}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, path.read_text("utf-8").splitlines())


def _write_lines(path: Path, items: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")


def _decide(project: Path, past: Mapping[str, Any], clock: Clock, ids: Ids) -> None:
    """Run the past state once and accept what its decisions name."""
    from evaltui.engine.preparing import prepare as plan_run
    from evaltui.engine.requests import RunRequest

    plan = plan_run(RunRequest((SUITE,), str(project), arguments=("demo",)), clock, ids)
    try:
        asyncio.run(_all_events(plan))
        acts = [_act(described) for described in past["acts"]]
        named = {case for act in acts for case in act.cases} | set(past["undecided"])
        for act in acts:
            _accept(plan, act, named, _shifted(clock, act.decided), ids)
    finally:
        plan.store.close()


def _act(described: Mapping[str, Any]) -> PastAct:
    return PastAct(
        tuple(described.get("cases", ())),
        described["decided"],
        described["expires"],
        Cause(described["cause"]),
        described["reason"],
        described.get("check"),
    )


def _shifted(clock: Clock, days: int) -> Clock:
    return Clock(lambda: clock.now() + timedelta(days=days), clock.fixed)


async def _all_events(plan: RunPlan) -> None:
    from evaltui.engine.runner import Runner

    async for _ in Runner(plan).events():
        pass


def _accept(plan: RunPlan, act: PastAct, named: Collection[str], clock: Clock, ids: Ids) -> None:
    from evaltui.review.reviewer import Reviewer
    from evaltui.review.session import DecisionForm, Session

    # A sample is no decision of anybody's project, so it is made under CI too.
    session = Session.open(plan.store, plan.run.id, plan.policy, clock, ids, environment={})
    cases = [
        row.index
        for row in session.rows
        if (row.case_id in act.cases if act.cases else row.case_id not in named)
    ]
    expires = clock.today() + timedelta(days=act.expires - act.decided)
    form = DecisionForm(
        reviewer=Reviewer(REVIEWER), cause=act.cause, reason=act.reason, expires=expires.isoformat()
    )
    session.commit(session.plan(Action.ACCEPT_BASELINE, cases, check=act.check), form)
