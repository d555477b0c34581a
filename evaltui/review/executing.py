"""Carries out a plan: checks the form and that nothing changed, then writes in order."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evaltui.clock import Clock, Ids, in_ci
from evaltui.engine.values import PASS, fail, tagged
from evaltui.errors import ActRefused, UsageError
from evaltui.models import Action, Decision, RunInfo
from evaltui.review.act_files import files_of
from evaltui.review.acts import NEEDS, VERBS, ActPlan, DecisionForm, PlannedTarget
from evaltui.review.bench import ReviewBench
from evaltui.review.committing import MarkChange, commit_files
from evaltui.review.context import FolderReview, ReviewContext
from evaltui.review.durable import Step
from evaltui.review.expiry import days_of, parse_expiry
from evaltui.review.links import Family
from evaltui.store.store import Store

_OPTIONAL = frozenset({"reviewer", "expires", "tolerance", "value", "scope", "how", "new_case_id"})
_FREE = {Action.APPROVE_ESCALATION: "reason", Action.DENY_ESCALATION: "note"}
_RERUNNING = (Action.APPROVE_ESCALATION, Action.DENY_ESCALATION, Action.RETRY_INFRASTRUCTURE)
_ANSWERS = (Action.APPROVE_ESCALATION, Action.DENY_ESCALATION)


class Executor(Struct, frozen=True):
    """Writes the acts of one session."""

    store: Store
    run: RunInfo
    context: ReviewContext
    clock: Clock
    ids: Ids
    step: Step
    environment: Mapping[str, str] | None = None

    def commit(
        self, shown: ActPlan, fresh: ActPlan, form: DecisionForm, bench: ReviewBench
    ) -> tuple[Decision, ...]:
        """Write an act that was shown as ``shown`` and stands as ``fresh`` now.

        Raises:
            ActRefused: CI is set, nothing can be done, or something changed since it was shown.
            UsageError: the form lacks something, or an expiry is none.
            DecisionError: a file could not be written; nothing was changed.
        """
        refuse_in_ci(self.environment)
        require_unchanged(shown, fresh)
        act = self._act(fresh, form, bench)
        planned = [self._filled(one, fresh.action, form) for one in fresh.targets]
        return self.write(act, planned, "push")

    def write(
        self,
        act: Decision,
        planned: Sequence[PlannedTarget],
        mark: str,
        number: int | None = None,
        others: Mapping[str, FolderReview] | None = None,
    ) -> tuple[Decision, ...]:
        """Write the files of an act, and move mark ``number`` to state ``mark`` or push one.

        ``others`` are suite folders that the run does not touch.
        """
        folders = {**self.context.folders, **(others or {})}
        files = files_of(act, planned, folders)
        content = json.dumps(
            {
                "acts": [
                    {"folder": self.store.kept(folder), "id": one.id}
                    for folder, one in files.decisions
                ]
            }
        )
        project = self.store.kept(self.run.project_root)
        change = MarkChange(project, content)
        if number is not None:
            change = MarkChange(project, content, number, mark)
        commit_files(self.store, self.ids, files, change, self.step)
        for folder, decision in files.decisions:
            if folder in self.context.folders:
                self.context.add(folder, [decision])
                for path in files.baselines:
                    self.context.folders[folder].baselines.forget(path)
        return tuple(decision for _, decision in files.decisions)

    def warnings(self, plan: ActPlan) -> tuple[str, ...]:
        """What a person should know before they confirm."""
        found = []
        newer = self._newer_run() if plan.action is Action.ACCEPT_BASELINE else None
        if newer is not None:
            found.append(f"run {newer} of this suite is newer than the one shown")
        if plan.turns_green:
            cases = "1 case" if plan.turns_green == 1 else f"{plan.turns_green} cases"
            found.append(f"{cases} of this very run would pass under {plan.tolerance}")
        return tuple(found)

    def _newer_run(self) -> str | None:
        suites = {section.suite for section in self.run.sections}
        for row in self.store.runs():
            if row.id == self.run.id:
                return None
            if suites & set(row.suites):
                return row.label
        return None

    def _act(self, plan: ActPlan, form: DecisionForm, bench: ReviewBench) -> Decision:
        _require_filled(plan.action, form)
        once = plan.action in _ANSWERS and form.scope == "once"
        expires = "expires" in NEEDS[plan.action] and not once
        return Decision(
            id="",
            action=plan.action,
            reviewer=form.reviewer.name,
            email=form.reviewer.email,
            created_at=self.clock.stamp(),
            targets=(),
            reason=form.reason.strip(),
            cause=form.cause if plan.action is Action.ACCEPT_BASELINE else None,
            expires_at=self._expiry(form.expires) if expires else None,
            run_id=self.run.id,
            policy_digest=self.context.policy.digest,
            scope=form.scope if plan.action in _ANSWERS else None,
            how=form.how if plan.action is Action.DENY_ESCALATION else None,
            source=form.source.strip() or None,
            requirement=form.requirement.strip() or None,
            extra=self._origin(plan, bench),
        )

    def _expiry(self, text: str) -> str:
        limits = self.context.policy.expiry
        longest = days_of(limits.max)
        return parse_expiry(text or limits.default, self.clock.today(), longest).isoformat()

    def _origin(self, plan: ActPlan, bench: ReviewBench) -> dict[str, object]:
        """The runs that really answered, where values to accept came from the cache."""
        if plan.action is not Action.ACCEPT_BASELINE:
            return {}
        keys = {
            call.cache_key
            for index in plan.indices
            for call in bench.read_record(index).result.calls
            if call.cache_hit
        }
        answers = [bench.read_cached(key) for key in sorted(keys)]
        runs = {one.run_id for one in answers if one is not None and one.run_id}
        return {"answered_in": sorted(runs)} if runs - {self.run.id} else {}

    def _filled(self, one: PlannedTarget, action: Action, form: DecisionForm) -> PlannedTarget:
        target = one.target
        if action is Action.ANNOTATE:
            return replace(one, target=replace(target, note=form.note.strip()))
        if action not in _ANSWERS:
            return one
        if action is Action.APPROVE_ESCALATION:
            judge = (target.escalation or "").startswith("judge:")
            target = replace(target, value=tagged(PASS if judge else form.value or "approved"))
        else:
            note = form.note.strip() or form.reason.strip() or "denied by human reviewer"
            target = replace(target, note=note, value=tagged(fail(note)))
        if form.scope != "once":
            return replace(one, target=target)
        folder = self.context.folders[one.section.folder]
        ends = folder.chains.state(target, Family.ESCALATION, self.run.id).ends
        return replace(one, target=replace(target, parent=ends[0] if ends else None), ends=ends)


def refuse_in_ci(environment: Mapping[str, str] | None = None) -> None:
    """Nothing writes a baseline or a decision while CI is set.

    Raises:
        ActRefused: it is.
    """
    if in_ci(environment if environment is not None else os.environ):
        raise ActRefused(
            "CI is set: nothing writes a baseline or a decision here",
            hint="decide at a desk and commit the files",
        )


def require_unchanged(shown: ActPlan, fresh: ActPlan) -> None:
    """Refuse an act over something that is not as it was shown.

    Raises:
        ActRefused: nothing can be done (any more), or a value, baseline or decision changed.
    """
    if not shown.targets:
        raise ActRefused(shown.sentence)
    now = {_place(one): _seen(one) for one in fresh.targets}
    refused = {one.index: one.reason for one in fresh.refused}
    for one in shown.targets:
        if now.get(_place(one)) != _seen(one):
            why = refused.get(one.index, "its value, its baseline or a decision about it changed")
            raise ActRefused(
                f"{one.target.case_id or one.target.benchmark} is not as it was shown: {why}",
                hint="look at it again; nothing was written",
            )
    if len(now) != len(shown.targets):
        raise ActRefused("more would change than was shown", hint="look at it again")


def message_of(action: Action, indices: Sequence[int], names: Iterable[str]) -> str:
    """What an act did, in one line."""
    if len(indices) == 1:
        return f"{next(iter(names))} {VERBS[action]}"
    return f"{len(indices)} cases {VERBS[action]}"


def reruns(action: Action) -> bool:
    """Whether the cases of an act can run on."""
    return action in _RERUNNING


def _require_filled(action: Action, form: DecisionForm) -> None:
    for name in NEEDS[action]:
        if name in _OPTIONAL or _FREE.get(action) == name:
            continue
        value = getattr(form, name)
        if value is None or not str(value).strip():
            raise UsageError(f"{VERBS[action]} needs a {name}")
    if action in _ANSWERS and form.scope not in ("once", "until"):
        raise UsageError(f"an answer counts once or until a day, not {form.scope!r}")
    if action is Action.DENY_ESCALATION and form.how not in ("deny_value", "deny_stop"):
        raise UsageError(f"a denial is deny_value or deny_stop, not {form.how!r}")


def _place(one: PlannedTarget) -> tuple[object, ...]:
    target = one.target
    parts = (target.case_id, target.check, target.slice, target.decision, target.escalation)
    return one.section.number, one.family, *parts


def _seen(one: PlannedTarget) -> tuple[object, ...]:
    return replace(one.target, new_tolerance=None), one.ends
