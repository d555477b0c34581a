"""Signs the baselines that a project already has."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evaltui.clock import Clock, Ids
from evaltui.errors import DecisionError, UsageError
from evaltui.models import Action, Cause, CheckKind, Decision, Section, Target
from evaltui.project import Policy
from evaltui.redaction import SecretScanner
from evaltui.review.act_files import files_of
from evaltui.review.acts import DecisionForm, PlannedTarget
from evaltui.review.baselines import PREFIX, Baseline, read_baseline
from evaltui.review.committing import MarkChange, commit_files
from evaltui.review.context import FolderReview, ReviewContext
from evaltui.review.custody import value_chains
from evaltui.review.executing import refuse_in_ci
from evaltui.review.expiry import days_of, parse_expiry
from evaltui.review.links import Family
from evaltui.store.records import CaseRecord
from evaltui.store.store import Store

KnownCases = Mapping[tuple[str, str, str], Sequence[tuple[str, str]]]
"""(suite, benchmark, snapshot key) to the ids and row digests of the cases that use it."""


class Adoption(Struct, frozen=True):
    """What was signed, and which files were left as they are and why."""

    decisions: tuple[Decision, ...]
    adopted: tuple[Path, ...]
    left: tuple[tuple[Path, str], ...]


def adopt(
    store: Store,
    project_root: Path,
    sections: Sequence[Section],
    policy: Policy,
    clock: Clock,
    ids: Ids,
    form: DecisionForm,
    known: KnownCases | None = None,
) -> Adoption:
    """Write one decision of cause ``initial`` a suite folder for all baselines without one.

    The instrument is left unknown, so that it matches any. Where ``known`` does not say which case
    uses a snapshot, the decision names the check alone.

    Args:
        store: Keeps the intent and the mark for undo.
        project_root: The project.
        sections: The benchmarks whose baselines are meant.
        policy: The project's policy.
        clock: Dates the decision.
        ids: Names the intent.
        form: Reviewer, reason and expiry.
        known: Cases by snapshot key, as ``known_cases`` finds them in a stored run.

    Raises:
        ActRefused: CI is set.
        UsageError: no reason, or no such expiry.
        DecisionError: a file cannot be read or written.
    """
    refuse_in_ci()
    if not form.reason.strip():
        raise UsageError("adopting needs a reason")
    scanner = SecretScanner(policy.redaction.patterns)
    with store.exclusive():
        context = ReviewContext.load(sections, policy, clock, preload=False)
        planned, adopted, left = _plan(context, scanner, known or {})
        if not planned:
            return Adoption((), (), tuple(left))
        act = _act(form, policy, clock)
        files = files_of(act, planned, context.folders)
        # The baselines are there already; only their signature is new.
        files.baselines.clear()
        acts = [{"folder": store.kept(folder), "id": one.id} for folder, one in files.decisions]
        mark = MarkChange(store.kept(str(project_root)), json.dumps({"acts": acts}))
        commit_files(store, ids, files, mark)
    return Adoption(tuple(one for _, one in files.decisions), tuple(adopted), tuple(left))


def known_cases(sections: Sequence[Section], records: Iterable[CaseRecord]) -> KnownCases:
    """Which cases of a stored run use which snapshot keys."""
    found: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for record in records:
        section = sections[record.spec.section]
        for check in record.result.checks:
            if check.kind is CheckKind.SNAPSHOT and check.key is not None:
                place = section.suite, section.benchmark, check.key
                found[place].append((record.spec.case_id, record.spec.row_digest))
    return found


def _act(form: DecisionForm, policy: Policy, clock: Clock) -> Decision:
    expires = form.expires or policy.expiry.default
    return Decision(
        "",
        Action.ACCEPT_BASELINE,
        form.reviewer.name,
        clock.stamp(),
        (),
        reason=form.reason.strip(),
        cause=Cause.INITIAL,
        email=form.reviewer.email,
        expires_at=parse_expiry(expires, clock.today(), days_of(policy.expiry.max)).isoformat(),
        policy_digest=policy.digest,
    )


def _plan(
    context: ReviewContext, scanner: SecretScanner, known: KnownCases
) -> tuple[list[PlannedTarget], list[Path], list[tuple[Path, str]]]:
    planned: list[PlannedTarget] = []
    adopted: list[Path] = []
    left: list[tuple[Path, str]] = []
    for section in context.sections:
        folder = context.folders[section.folder]
        for path in folder.baselines.files(section.benchmark):
            found = _plan_file(section, folder, path, scanner, known)
            if isinstance(found, str):
                left.append((path, found))
            elif found:
                planned += found
                adopted.append(path)
    return planned, adopted, left


def _plan_file(
    section: Section, folder: FolderReview, path: Path, scanner: SecretScanner, known: KnownCases
) -> list[PlannedTarget] | str:
    """The targets that sign a file (none when it is signed), or why it cannot be."""
    try:
        file = read_baseline(path)
        if file is None or folder.baselines.path(section.benchmark, file.key) != path:
            return "its name does not belong to its key"
        secret = scanner.find(file.tagged)
    except DecisionError as error:
        return error.message
    if secret is not None:
        return f"it holds {secret}"
    place = section.suite, section.benchmark, file.key
    if place not in known and _is_signed(folder, section, f"{PREFIX}{file.key}"):
        return []
    cases: Sequence[tuple[str | None, str | None]] = known.get(place) or ((None, None),)
    return [
        one
        for case_id, row_digest in cases
        if (one := _plan_target(section, folder, file, case_id, row_digest)) is not None
    ]


def _is_signed(folder: FolderReview, section: Section, check: str) -> bool:
    """Whether a decision about any case stands behind a snapshot."""
    place = section.suite, section.benchmark, check
    return any(
        (state.key.suite, state.key.benchmark, named) == place and (state.held or state.conflict)
        for state, named in value_chains(folder.chains)
    )


def _plan_target(
    section: Section,
    folder: FolderReview,
    file: Baseline,
    case_id: str | None,
    row_digest: str | None,
) -> PlannedTarget | None:
    target = Target(
        section.suite,
        section.benchmark,
        case_id,
        f"{PREFIX}{file.key}",
        row_digest=row_digest or None,
        old_digest=file.digest,
        new_digest=file.digest,
    )
    state = folder.chains.state(target, Family.VALUE)
    wide = folder.chains.section(section.suite, section.benchmark).wide_values
    covering = wide.get(f"{PREFIX}{file.key}")
    if any(one is not None and (one.held or one.conflict) for one in (state, covering)):
        return None
    target = replace(target, parent=state.ends[0] if state.ends else None)
    return PlannedTarget(-1, section, target, Family.VALUE, state.ends, None, file.tagged)
