"""From what a user asked for to a run that is ready to start."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evaltui.clock import Clock, Ids
from evaltui.engine.answers import IMPORTED_KEY, Answers
from evaltui.engine.budget import Budget
from evaltui.engine.checkout import commit_of
from evaltui.engine.pricing import refuse_unpriced
from evaltui.engine.project import Project, open_project, refuse_unwritable
from evaltui.engine.requests import RunRequest
from evaltui.engine.resuming import refuse_changed, unfinished
from evaltui.engine.run_effects import recorded_case
from evaltui.engine.run_plan import RunPlan, Selection
from evaltui.engine.secrets import row_without_keys
from evaltui.engine.selecting import select, select_again
from evaltui.engine.services import RunServices
from evaltui.errors import UsageError
from evaltui.models import CaseSpec, Mode, RunInfo
from evaltui.project import find_root
from evaltui.providers.network import Network
from evaltui.providers.replay import Recording
from evaltui.redaction import SecretScanner
from evaltui.review.committing import repair
from evaltui.review.context import ReviewContext
from evaltui.review.filtering import parse_filter
from evaltui.store.store import Store, open_store
from evaltui.suites.base import LoadedSuite, LoadOptions
from evaltui.suites.discovery import find_suites


class Loaded(Struct, frozen=True):
    """Suites of a project with the cases that a run will cover; nothing is stored yet."""

    project: Project
    suites: tuple[LoadedSuite, ...]
    selection: Selection
    run: RunInfo
    network: Network


def load(request: RunRequest, clock: Clock, ids: Ids) -> Loaded:
    """Find and load what is asked for. Nothing is written, nobody is called.

    Raises:
        UsageError, SuiteError, ConfigurationError: it cannot be run.
    """
    paths = [Path(request.folder, path) for path in request.paths]
    if not all(request.paths):
        raise UsageError("a path is empty", hint="is a variable not set?")
    if not paths:
        raise UsageError("name a suite or a folder", hint="evaltui run PATH")
    suites = find_suites(paths)
    project = open_project(suites[0][0], request.store)
    for path, _ in suites:
        refuse_unwritable(path)
        if find_root(path) != project.root:
            raise UsageError(
                f"{path} belongs to another project than {project.root}",
                hint="run them one after the other",
            )
    policy = project.policy
    scanner = SecretScanner(policy.redaction.patterns)
    network = Network(
        limits=policy.limits, scanner=scanner, record=request.record, prices=policy.prices
    )
    options = LoadOptions(
        project.root,
        project.policy,
        request.benchmarks,
        request.providers,
        request.mock,
        request.replay is not None,
        request.dry_run,
        network,
    )
    loaded = tuple(kind.load(path, options) for path, kind in suites)
    _refuse_unknown(request.benchmarks, loaded)
    if request.max_cost is not None and request.replay is None:
        refuse_unpriced(loaded, network.prices)
    selection = _storable(select(loaded, _wanted(request.filter), request.limit), scanner)
    run = _run_info(request, project, loaded, clock, ids)
    return Loaded(project, loaded, selection, run, network)


def prepare(request: RunRequest, clock: Clock, ids: Ids) -> RunPlan:
    """Load, open the store and begin (or go on with) the run.

    Raises:
        EvaltuiError: anything that keeps the run from starting; no call was made.
    """
    if request.resume is not None and not _nothing_to_resume(request, clock):
        return _resumed(request, clock, ids)
    request = _with_providers_of(request, clock)
    loaded = load(request, clock, ids)
    store = open_store(loaded.project.store, clock)
    try:
        repair(store)
        recording = _recording(store, request.replay)
        run = replace(
            loaded.run,
            sections=loaded.selection.sections,
            replay_of=recording.label if recording else None,
        )
        context = ReviewContext.load(run.sections, loaded.project.policy, clock, run_id=run.id)
        run = store.begin_run(run, loaded.selection.specs)
        todo = tuple(range(len(loaded.selection.specs)))
        return _plan(request, loaded, loaded.selection, run, store, context, todo, clock, recording)
    except BaseException:
        store.close()
        raise


def _with_providers_of(request: RunRequest, clock: Clock) -> RunRequest:
    """The request with the mock that answered the run to replay, where one did."""
    if request.replay is None or not request.paths:
        return request
    path = open_project(Path(request.folder, request.paths[0]), request.store).store
    if not path.exists():
        return request
    with open_store(path, clock) as store:
        return replace(request, mock=_mocked(store, store.run(request.replay)))


def _mocked(store: Store, run: RunInfo) -> bool:
    """Whether a run was answered by the mock provider, or replays one that was."""
    while run.replay_of is not None:
        run = store.run(run.replay_of)
    return run.mode is Mode.MOCK


def _nothing_to_resume(request: RunRequest, clock: Clock) -> bool:
    """Whether the latest run of a named suite is asked for and there has not been any."""
    if request.resume or not request.paths:
        return False
    path = open_project(Path(request.folder, request.paths[0]), request.store).store
    if not path.exists():
        return True
    with open_store(path, clock) as store:
        return not store.runs()


def repeat(plan: RunPlan, indices: Sequence[int], ids: Ids) -> RunPlan:
    """A new run of some cases of a run; ``parent`` names the first one, which stays as it was."""
    plan.context.refresh()
    chosen = [plan.specs[index] for index in indices]
    specs = tuple(replace(spec, index=number) for number, spec in enumerate(chosen))
    origins = tuple(plan.selection.origins[index] for index in indices)
    run = replace(
        plan.run,
        id=ids.token(8),
        label="",
        started_at=plan.services.clock.stamp(),
        filtered=True,
        parent=plan.run.label,
        state="running",
        finished_at=None,
        problems=(),
    )
    stored = plan.store.begin_run(run, specs)
    selection = Selection(plan.selection.sections, specs, origins)
    return _again(plan, stored, selection, tuple(range(len(specs))))


def carry_on(plan: RunPlan, indices: Sequence[int]) -> RunPlan:
    """A plan that runs cases of a finished run again in that run: a person has answered them."""
    plan.context.refresh()
    return _again(plan, plan.store.reopen_run(plan.run.id), plan.selection, tuple(indices))


def _again(plan: RunPlan, run: RunInfo, selection: Selection, todo: tuple[int, ...]) -> RunPlan:
    writer = plan.store.writer(run.id)
    answers = Answers(plan.store.cached, writer.cache)
    services = replace(plan.services, run_id=run.id, run_label=run.label, answers=answers)
    return replace(
        plan, run=run, selection=selection, todo=todo, services=services, writer=writer, kept=()
    )


def _resumed(request: RunRequest, clock: Clock, ids: Ids) -> RunPlan:
    where = Path(request.folder, request.paths[0] if request.paths else ".")
    store = open_store(open_project(where, request.store).store, clock, create=False)
    try:
        repair(store)
        stored = store.run(request.resume or None)
        mock = request.mock or _mocked(store, stored)
        loaded = load(replace(_as_stored(request, stored), mock=mock), clock, ids)
        refuse_changed(stored, replace(loaded.run, sections=loaded.selection.sections))
        selection = select_again(loaded.suites, stored, store.summaries(stored.id))
        selection = replace(selection, sections=stored.sections)
        context = ReviewContext.load(
            stored.sections, loaded.project.policy, clock, run_id=stored.id
        )
        todo = unfinished(store, stored, selection, context)
        run = store.reopen_run(stored.id)
        recording = _recording(store, stored.replay_of)
        plan = _plan(request, loaded, selection, run, store, context, todo, clock, recording)
        plan.kept = tuple(sorted(set(range(len(selection.specs))) - set(todo)))
        return plan
    except BaseException:
        store.close()
        raise


def _as_stored(request: RunRequest, stored: RunInfo) -> RunRequest:
    """The request with what the stored run says; the cases are chosen by the store."""
    paths = tuple(dict.fromkeys(str(Path(one.folder, one.suite)) for one in stored.sections))
    return replace(
        request,
        paths=paths,
        folder="",
        benchmarks=tuple(dict.fromkeys(one.benchmark for one in stored.sections)),
        filter="",
        limit=None,
        replay=stored.replay_of,
    )


def _plan(
    request: RunRequest,
    loaded: Loaded,
    selection: Selection,
    run: RunInfo,
    store: Store,
    context: ReviewContext,
    todo: tuple[int, ...],
    clock: Clock,
    recording: Recording | None,
) -> RunPlan:
    policy = loaded.project.policy
    writer = store.writer(run.id)
    services = RunServices(
        run.id,
        run.label,
        clock,
        Answers(store.cached, writer.cache, read=not request.no_cache),
        Budget(request.max_calls, request.max_tokens, request.max_cost),
        context,
        policy.run.case_seconds,
        recording,
        loaded.network,
    )
    problems = [text for suite in loaded.suites for text in suite.warnings]
    problems += loaded.network.warnings()
    problems += [f"{problem.path}: {problem.message}" for problem in context.problems]
    return RunPlan(
        run,
        selection,
        policy,
        todo,
        services,
        context,
        store,
        writer,
        request.concurrency or policy.run.concurrency,
        problems,
    )


def _run_info(
    request: RunRequest,
    project: Project,
    suites: Sequence[LoadedSuite],
    clock: Clock,
    ids: Ids,
) -> RunInfo:
    modes = {suite.mode for suite in suites}
    canned = modes - {Mode.LIVE}
    return RunInfo(
        id=ids.token(8),
        label="",
        started_at=clock.stamp(),
        mode=Mode.REPLAY if request.replay is not None else min(canned, default=Mode.LIVE),
        instrument="; ".join(dict.fromkeys(suite.instrument for suite in suites)),
        policy_digest=project.policy.digest,
        sections=(),
        arguments=request.arguments,
        project_root=str(project.root),
        asked=json.dumps([json.loads(suite.asked) for suite in suites], sort_keys=True),
        filtered=bool(request.filter or request.limit is not None),
        commit=commit_of(project.root),
        clock=clock.fixed,
    )


def _refuse_unknown(benchmarks: Sequence[str], suites: Sequence[LoadedSuite]) -> None:
    known = {name for suite in suites for name in suite.offers}
    for name in benchmarks:
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UsageError(f"no benchmark {name!r}", hint=f"there are: {names}")


def _storable(selection: Selection, scanner: SecretScanner) -> Selection:
    specs = tuple(row_without_keys(spec, scanner) for spec in selection.specs)
    return replace(selection, specs=specs)


def _wanted(text: str) -> Callable[[CaseSpec], bool] | None:
    return parse_filter(text).matches_spec if text else None


def _recording(store: Store, reference: str | None) -> Recording | None:
    if reference is None:
        return None
    run = store.run(reference)
    calls = (
        (recorded_case(run.sections[record.spec.section], record.spec.case_id), call)
        for record in store.records(run.id)
        if record.spec.section < len(run.sections)
        for call in record.result.calls
    )
    if run.imported is None:
        return Recording(run.label, calls)
    return Recording(run.label, calls, lambda key: store.cached(IMPORTED_KEY + key))
