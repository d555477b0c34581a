"""``evaltui baselines``: what was accepted, where it stands, what ends soon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import JsonOption, ReviewerOption, StoreOption
from evaltui.errors import ExitCode, StoreError, UsageError

if TYPE_CHECKING:
    from datetime import date

    from evaltui.models import Section
    from evaltui.review.acts import DecisionForm
    from evaltui.review.adoption import Adoption, KnownCases
    from evaltui.review.custody import BaselineEntry, Expiring
    from evaltui.store.store import Store

Places = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PATH...", help="Suite folders, or folders that hold them."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    baselines = typer.Typer(help="The accepted values of a project.", no_args_is_help=True)
    baselines.command("list")(list_all)
    baselines.command("verify")(verify)
    baselines.command("expiring")(expiring)
    baselines.command("adopt")(adopt)
    baselines.command("rebuild")(rebuild)
    app.add_typer(baselines, name="baselines")


def list_all(paths: Places = None, as_json: JsonOption = False) -> int:
    """List every baseline with who accepted it and until when."""
    _print_entries(_entries(paths), as_json)
    return ExitCode.OK


def verify(paths: Places = None, as_json: JsonOption = False) -> int:
    """List the baselines that no decision in force stands behind; exits 1 if there are any."""
    from evaltui.commands.console import count
    from evaltui.review.custody import SOUND

    entries = _entries(paths)
    unsound = [entry for entry in entries if entry.custody not in SOUND]
    _print_entries(unsound, as_json)
    if not unsound and not as_json:
        each = "each with its decision" if len(entries) != 1 else "with its decision"
        print(f"{count(len(entries), 'baseline')}, {each}")
    return ExitCode.GATE_FAILED if unsound else ExitCode.OK


def expiring(
    paths: Places = None,
    days: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Within so many days.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List decisions that end soon or have ended; exits 1 if there are any."""
    from evaltui.commands.console import print_json, print_table
    from evaltui.review import custody

    found: list[Expiring] = []
    for folder in _folders(paths):
        within = _policy_days(folder) if days is None else days
        found += custody.expiring(folder, _today(), within)
    found.sort(key=lambda one: one.expires)
    if as_json:
        print_json(found)
    else:
        head = ("until", "days", "act", "who", "suite", "benchmark", "case", "part")
        print_table(head, map(_expiring_cells, found))
    return ExitCode.GATE_FAILED if found else ExitCode.OK


def adopt(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH...", help="Suites, or their folders.")
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why they are right.")] = "",
    expires: Annotated[str | None, typer.Option(metavar="DAY", help="2027-01-31 or 90d.")] = None,
    reviewer: ReviewerOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Sign all baselines that have no decision yet, in one act a suite folder."""
    from evaltui.clock import Ids, system_clock
    from evaltui.commands.console import print_json
    from evaltui.engine.project import open_project
    from evaltui.review.adoption import adopt as sign
    from evaltui.review.committing import repair
    from evaltui.store.store import open_store

    places = paths or [Path()]
    project = open_project(places[0], store)
    sections = _sections(places, project.root)
    form = _form(reason, expires, reviewer, project.root)
    with open_store(project.store, system_clock()) as opened:
        repair(opened)
        done = sign(
            opened,
            project.root,
            sections,
            project.policy,
            system_clock(),
            Ids(),
            form,
            _known(opened),
        )
    if as_json:
        print_json(_adoption_object(done))
    else:
        _print_adoption(done)
    return ExitCode.GATE_FAILED if done.left else ExitCode.OK


def rebuild(paths: Places = None, as_json: JsonOption = False) -> int:
    """Write the baseline files anew from the decisions; exits 1 if some cannot be."""
    from evaltui.commands.console import count, print_json, print_table
    from evaltui.review.rebuilding import rebuild as write_again

    done = [one for folder in _folders(paths) for one in write_again(folder, _today())]
    if as_json:
        print_json(done)
    else:
        touched = [one for one in done if one.written or one.problem]
        rows = [(one.problem or "written", str(one.path)) for one in touched]
        if rows:
            print_table(("state", "baseline"), rows)
        kept = len(done) - len(touched)
        print(f"{count(kept, 'baseline')} {'was' if kept == 1 else 'were'} as accepted")
    return ExitCode.GATE_FAILED if any(one.problem for one in done) else ExitCode.OK


def _folders(paths: list[Path] | None) -> list[Path]:
    from evaltui.commands.places import suite_folders

    return suite_folders(paths or [Path()])


def _today() -> date:
    from evaltui.clock import system_clock

    return system_clock().today()


def _policy_days(folder: Path) -> int:
    from evaltui.project import find_root, load_policy

    return load_policy(find_root(folder)).expiry.warn_days


def _entries(paths: list[Path] | None) -> list[BaselineEntry]:
    from evaltui.review.custody import list_baselines

    return [entry for folder in _folders(paths) for entry in list_baselines(folder, _today())]


def _print_entries(entries: Sequence[BaselineEntry], as_json: bool) -> None:
    from evaltui.commands.console import print_json, print_table

    if as_json:
        print_json(entries)
    elif entries:
        head = ("state", "benchmark", "check", "case", "who", "until", "decision")
        print_table(head, map(_entry_cells, entries))


def _entry_cells(entry: BaselineEntry) -> tuple[str, ...]:
    return (
        str(entry.custody),
        entry.benchmark,
        entry.check,
        entry.case_id or "-",
        entry.reviewer or "-",
        str(entry.expires or "-"),
        entry.decision[:12] or "-",
    )


def _expiring_cells(one: Expiring) -> tuple[str, ...]:
    return (
        str(one.expires),
        str(one.days_left),
        str(one.action),
        one.reviewer,
        one.suite,
        one.benchmark,
        one.case_id or "-",
        one.part or "-",
    )


def _sections(places: Sequence[Path], root: Path) -> tuple[Section, ...]:
    """The benchmarks of the suites at ``places``, without setting up their providers."""
    from evaltui.engine.selecting import sections_of
    from evaltui.project import load_policy
    from evaltui.suites.base import LoadOptions
    from evaltui.suites.discovery import find_suites

    options = LoadOptions(root, load_policy(root), mock=True)
    return sections_of([kind.load(path, options) for path, kind in find_suites(places)])


def _form(reason: str, expires: str | None, reviewer: str | None, root: Path) -> DecisionForm:
    from evaltui.models import Cause
    from evaltui.review.acts import DecisionForm
    from evaltui.review.reviewer import find_reviewer, reviewer_named

    who = find_reviewer(reviewer, root) or reviewer_named("")
    if not reason.strip():
        raise UsageError("adopting needs a reason", hint="see --reason")
    return DecisionForm(who, reason, Cause.INITIAL, expires or "")


def _known(store: Store) -> KnownCases:
    """Which cases use which snapshot keys, by the latest run."""
    from evaltui.review.adoption import known_cases

    try:
        run = store.run(None)
    except StoreError:
        return {}
    return known_cases(run.sections, store.records(run.id))


def _adoption_object(done: Adoption) -> dict[str, object]:
    return {
        "decisions": [decision.id for decision in done.decisions],
        "adopted": [str(path) for path in done.adopted],
        "left": [{"path": str(path), "reason": reason} for path, reason in done.left],
    }


def _print_adoption(done: Adoption) -> None:
    from evaltui.commands.console import count
    from evaltui.text import safe

    signed = count(len(done.adopted), "baseline")
    print(f"{signed} signed by {count(len(done.decisions), 'decision')}")
    for path, reason in done.left:
        print(f"left alone: {safe(str(path))}: {safe(reason)}")
