"""Undo and redo: reverting the latest act of a project, and reverting that."""

from __future__ import annotations

import json
from pathlib import Path

from evaltui.errors import ActRefused
from evaltui.models import Action, Decision, Section
from evaltui.review.acts import PlannedTarget
from evaltui.review.baselines import Baselines
from evaltui.review.chain_index import Chains
from evaltui.review.context import FolderReview
from evaltui.review.executing import Executor, refuse_in_ci
from evaltui.review.log import DecisionLog
from evaltui.review.resolving import naming_target
from evaltui.review.reviewer import Reviewer
from evaltui.review.wording import done
from evaltui.store.records import Mark, MarkState


def undo_last(executor: Executor, reviewer: Reviewer) -> list[tuple[Decision, Decision]] | None:
    """Revert the newest act in force; pairs of the decision and what reverts it.

    Raises:
        ActRefused: CI is set, or somebody has decided on top of it.
    """
    mark = executor.store.last_done(_project(executor))
    return _reverse(executor, reviewer, mark, MarkState.UNDONE)


def redo_last(executor: Executor, reviewer: Reviewer) -> list[tuple[Decision, Decision]] | None:
    """Revert the revert of the act undone last.

    Raises:
        ActRefused: CI is set, or somebody has decided since.
    """
    mark = executor.store.next_undone(_project(executor))
    return _reverse(executor, reviewer, mark, MarkState.DONE)


def _project(executor: Executor) -> str:
    return executor.store.kept(executor.run.project_root)


def _reverse(
    executor: Executor, reviewer: Reviewer, mark: Mark | None, state: MarkState
) -> list[tuple[Decision, Decision]] | None:
    if mark is None:
        return None
    refuse_in_ci(executor.environment)
    planned: list[PlannedTarget] = []
    named: list[Decision] = []
    others: dict[str, FolderReview] = {}
    for act in json.loads(mark.content)["acts"]:
        name = executor.store.found(act["folder"])
        folder = executor.context.folders.get(name) or _load(executor, name)
        others[name] = folder
        decision = folder.log.decisions.get(act["id"])
        if decision is None:
            raise ActRefused(
                f"the decision {act['id'][:12]} is gone from {name}/decisions",
                hint="restore it from version control",
            )
        named.append(decision)
        planned += _targets(name, folder, decision)
    act = Decision(
        "", Action.REVERT, reviewer.name, executor.clock.stamp(), (), email=reviewer.email
    )
    written = executor.write(act, planned, state, mark.number, others)
    return list(zip(named, written, strict=True))


def _load(executor: Executor, name: str) -> FolderReview:
    path = Path(name)
    log = DecisionLog.load(path)
    return FolderReview(path, log, Chains(log, executor.clock.today()), Baselines(path))


def _targets(name: str, folder: FolderReview, decision: Decision) -> list[PlannedTarget]:
    """The targets that revert all of a decision.

    Raises:
        ActRefused: a later decision follows it.
    """
    planned = []
    for key in dict.fromkeys(link.key for link in folder.chains.links(decision)):
        state = folder.chains.of(key)
        end = state.end_at(decision.id)
        if end is None:
            raise ActRefused(
                f"{key.case_id or key.benchmark} was decided about since: "
                f"{done(decision.action)} by {decision.reviewer} is no longer the latest word",
                hint="revert the later decision first",
            )
        section = Section(-1, "", key.suite, name, key.benchmark, "", "", 0)
        target = naming_target(state, decision.id, end)
        planned.append(PlannedTarget(-1, section, target, key.family, (end,)))
    return planned
