"""``evaltui decisions``: what was decided, and whether it can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import JsonOption
from evaltui.errors import ExitCode

if TYPE_CHECKING:
    from evaltui.models import Decision

PlacesArgument = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PATH...", help="Suite folders, or folders that hold them."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    decisions = typer.Typer(help="The decisions of a project.", no_args_is_help=True)
    decisions.command("list")(list_decisions)
    decisions.command("verify")(verify)
    app.add_typer(decisions, name="decisions")


def list_decisions(paths: PlacesArgument = None, as_json: JsonOption = False) -> int:
    """List all decisions, latest first."""
    from evaltui.commands.console import print_json, print_table
    from evaltui.commands.places import suite_folders
    from evaltui.review.log import DecisionLog

    logs = [DecisionLog.load(folder) for folder in suite_folders(paths or [Path()])]
    found = sorted(
        (decision for log in logs for decision in log.decisions.values()),
        key=lambda one: (one.created_at, one.id),
        reverse=True,
    )
    if as_json:
        print_json(found)
        return ExitCode.OK
    print_table(("id", "when", "who", "act", "until", "cases", "reason"), map(_cells, found))
    return ExitCode.OK


def _cells(decision: Decision) -> tuple[str, ...]:
    cases = dict.fromkeys(one.case_id or one.slice or one.benchmark for one in decision.targets)
    shown = ", ".join(list(cases)[:3]) + (f" and {len(cases) - 3} more" if len(cases) > 3 else "")
    return (
        decision.id[:12],
        decision.created_at[:16],
        decision.reviewer,
        str(decision.action),
        decision.expires_at or "-",
        shown,
        decision.reason,
    )


def verify(
    paths: PlacesArgument = None,
    git: Annotated[
        bool, typer.Option("--git", help="Compare reviewers with the authors of commits.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check digests, parents, expiry, reviewers and baselines; exits 1 if anything was found."""
    from evaltui.clock import system_clock
    from evaltui.commands.console import print_json
    from evaltui.commands.places import suite_folders
    from evaltui.project import find_root, load_policy
    from evaltui.review.expiry import days_of
    from evaltui.review.verifying import verify_decisions
    from evaltui.text import safe

    found = []
    for folder in suite_folders(paths or [Path()]):
        longest = days_of(load_policy(find_root(folder)).expiry.max)
        found += verify_decisions(folder, system_clock(), longest, git=git)
    if as_json:
        print_json(found)
    else:
        for one in found:
            print(f"{'note: ' if one.note else ''}{safe(str(one.place))}: {safe(one.message)}")
        if not found:
            print("every decision holds")
    return ExitCode.GATE_FAILED if any(not one.note for one in found) else ExitCode.OK
