"""``evaltui runs`` and ``evaltui diff``: stored runs side by side."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.importing import import_runs
from evaltui.commands.options import JsonOption, ProjectOption, StoreOption
from evaltui.errors import ExitCode, UsageError
from evaltui.models import CaseSummary, Outcome, RunInfo

if TYPE_CHECKING:
    from evaltui.commands.stored import Stored
    from evaltui.store.records import RunRow

Key = tuple[str, str, str]


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    runs = typer.Typer(help="The history of runs.", no_args_is_help=True)
    runs.command("list")(list_runs)
    runs.command("import")(import_runs)
    app.add_typer(runs, name="runs")
    app.command("diff")(diff)


def list_runs(
    project: ProjectOption = Path(), store: StoreOption = None, as_json: JsonOption = False
) -> int:
    """List the stored runs, latest first."""
    from evaltui.commands.console import print_json, print_table
    from evaltui.commands.stored import opened

    with opened(project, store) as stored:
        rows = stored.store.runs()
    if as_json:
        print_json(rows)
    else:
        head = ("run", "started", "state", "mode", "cases", "outcomes", "suites")
        print_table(head, map(_run_cells, rows))
    return ExitCode.OK


def _run_cells(row: RunRow) -> tuple[str, ...]:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in row.counts.items() if count)
    repeats = f" (repeats {row.parent})" if row.parent else ""
    suites = ", ".join(f"{name}" for name in row.suites)
    total = str(row.total)
    return row.label, row.started_at[:19], row.state + repeats, row.mode_word, total, counts, suites


def diff(
    runs: Annotated[list[str], typer.Argument(metavar="RUN [RUN]", help="Old run, new run.")],
    project: ProjectOption = Path(),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say which cases came to something else: between two runs, or a run and the latest."""
    from evaltui.commands.console import print_json, print_table
    from evaltui.commands.stored import opened

    if len(runs) > 2:
        raise UsageError("diff takes one or two runs")
    with opened(project, store) as stored:
        old, new = stored.run(runs[0]), stored.run(runs[1] if len(runs) > 1 else None)
        if old.id == new.id:
            raise UsageError(f"{old.label} is the latest run", hint="name two runs")
        changes = _changes(stored, old, new)
    if as_json:
        print_json({"old": old.label, "new": new.label, "changes": changes})
    else:
        print_table(
            ("case", old.label, new.label, "output"),
            (
                [change[name] or "-" for name in ("case", "old", "new", "output")]
                for change in changes
            ),
        )
        if not changes:
            print(f"{old.label} and {new.label} came to the same")
    return ExitCode.GATE_FAILED if changes else ExitCode.OK


def _changes(stored: Stored, old: RunInfo, new: RunInfo) -> list[dict[str, str]]:
    before = _by_case(old, stored.store.summaries(old.id))
    after = _by_case(new, stored.store.summaries(new.id))
    changes = []
    for key in (*after, *(key for key in before if key not in after)):
        was, now = before.get(key), after.get(key)
        output = _output(stored, old, was, new, now)
        if was is None or now is None or was.outcome is not now.outcome or output:
            name = f"{key[1]}:{key[2]}"
            changes.append({"case": name, "old": _word(was), "new": _word(now), "output": output})
    return changes


def _by_case(run: RunInfo, rows: Iterable[CaseSummary]) -> dict[Key, CaseSummary]:
    return {
        (run.sections[row.section].suite, run.sections[row.section].benchmark, row.case_id): row
        for row in rows
    }


def _word(row: CaseSummary | None) -> str:
    return "" if row is None else str(row.outcome)


def _output(
    stored: Stored, old: RunInfo, was: CaseSummary | None, new: RunInfo, now: CaseSummary | None
) -> str:
    if was is None or now is None or Outcome.SKIPPED in (was.outcome, now.outcome):
        return ""
    from evaltui.engine.values import JsonError, untagged
    from evaltui.review.compare import compare

    first = stored.store.record(old.id, was.index).result.output
    second = stored.store.record(new.id, now.index).result.output
    if first == second or first is None or second is None:
        return ""
    try:
        return compare(untagged(first), untagged(second)).delta or "changed"
    except JsonError:
        return "changed"
