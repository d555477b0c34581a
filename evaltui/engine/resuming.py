"""Going on with a run that did not come to its end."""

from __future__ import annotations

from evaltui.engine.run_plan import Selection
from evaltui.errors import UsageError
from evaltui.models import RunInfo
from evaltui.review.answering import answer_in_force, under_answers_of_today
from evaltui.review.context import ReviewContext
from evaltui.store.records import CaseRecord
from evaltui.store.store import Store


def refuse_changed(stored: RunInfo, now: RunInfo) -> None:
    """Only the same measurement may go on.

    Raises:
        UsageError: suite, dataset, policy or the instrument asked for changed since.
    """
    if stored.policy_digest != now.policy_digest:
        raise _changed(stored, "the policy (evaltui.toml)")
    if stored.asked != now.asked:
        raise _changed(stored, "the instrument asked for")
    sections = {(one.folder, one.suite, one.benchmark): one for one in now.sections}
    for old in stored.sections:
        new = sections.get((old.folder, old.suite, old.benchmark))
        if new is None or new.suite_digest != old.suite_digest:
            raise _changed(stored, f"{old.suite}: {old.benchmark}")
        if new.dataset_digest != old.dataset_digest:
            raise _changed(stored, f"the dataset of {old.benchmark}")


def unfinished(
    store: Store, run: RunInfo, selection: Selection, context: ReviewContext
) -> tuple[int, ...]:
    """The cases that have no durable result, or wait for a person who has answered since."""

    def answered(record: CaseRecord) -> bool:
        return is_answered(record, run, context)

    durable = store.durable(run.id, answered)
    return tuple(spec.index for spec in selection.specs if spec.index not in durable)


def is_answered(record: CaseRecord, run: RunInfo, context: ReviewContext) -> bool:
    """Whether what a suspended case waits for has been decided."""
    case = context.section(record.spec.section).cases.get(record.spec.case_id)
    waiting = under_answers_of_today(record.result, case, run.id).suspension
    return waiting is not None and answer_in_force(case, waiting, run.id) is not None


def _changed(stored: RunInfo, what: str) -> UsageError:
    return UsageError(
        f"run {stored.label} cannot be resumed: {what} changed since", hint="start a new run"
    )
