"""``evaltui run`` and ``evaltui demo``."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from evaltui.commands.options import PlainOption, ReportOption, ReviewerOption, StoreOption
from evaltui.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaltui.engine.requests import RunRequest
    from evaltui.reports.base import ReportRequest

LATEST = "latest"
_INTRODUCTION = "a sample project: its answers take ten seconds, then it is your turn"
_RUN = re.compile(r"r[0-9]+|[0-9a-f]{6,16}")


class Printing(Struct, frozen=True):
    """How a run is shown."""

    ci: bool
    plain: bool
    reports: tuple[ReportRequest, ...] = ()


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command("run")(run)
    app.command("demo")(demo)


def with_resume_value(words: Sequence[str]) -> list[str]:
    """``--resume`` with its value made explicit: the run that follows it, else the latest."""
    result = list(words)
    for place, word in enumerate(result):
        if word == "--resume":
            following = result[place + 1] if place + 1 < len(result) else ""
            if _RUN.fullmatch(following) or following == LATEST:
                result[place : place + 2] = [f"--resume={following}"]
            else:
                result[place] = f"--resume={LATEST}"
            break
    return result


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Suites, or folders to search for suites."),
    ] = None,
    benchmark: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this benchmark; repeatable.")
    ] = None,
    ci: Annotated[bool, typer.Option("--ci", help="Print, do not open a screen.")] = False,
    plain: PlainOption = False,
    mock: Annotated[bool, typer.Option("--mock", help="Answer by the mock provider.")] = False,
    provider: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this provider; repeatable.")
    ] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="RUN", help="Answers of a stored run, never live.")
    ] = None,
    filter: Annotated[
        str, typer.Option(metavar="EXPR", help="Only cases such as `slice:fr refund`.")
    ] = "",
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="At most N cases.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=1024, help="Cases at once.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="[RUN]", help="Go on with a run (the latest) that was cut short."),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask anew.")] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Keep raw requests and replies in the store.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent, and about what it costs.")
    ] = False,
    max_calls: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop before call N+1.")
    ] = None,
    max_cost: Annotated[
        str | None, typer.Option(metavar="USD", help="Stop once this much is spent.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop once N tokens are used.")
    ] = None,
    report: ReportOption = None,
    store: StoreOption = None,
    reviewer: ReviewerOption = None,
) -> int:
    """Run suites: on a terminal in a screen, else line by line. Exits 0 when every gate holds."""
    from evaltui.engine.requests import RunRequest

    request = RunRequest(
        paths=tuple(paths or ()),
        folder=str(Path.cwd()),
        benchmarks=tuple(benchmark or ()),
        providers=tuple(provider or ()),
        mock=_exclusive(mock, "--mock", bool(provider), "--provider"),
        replay=replay,
        filter=filter,
        limit=limit,
        concurrency=concurrency,
        resume="" if resume == LATEST else resume,
        no_cache=no_cache,
        record=record,
        dry_run=dry_run,
        max_calls=max_calls,
        max_tokens=max_tokens,
        max_cost=_money(max_cost),
        store=store,
        reviewer=reviewer,
        arguments=_arguments(),
    )
    printing = Printing(ci, plain, _reports(report))
    if dry_run:
        from evaltui.commands.dry_run import print_plan

        return print_plan(request)
    return start(request, printing)


def demo(
    reset: Annotated[bool, typer.Option("--reset", help="Start over with a new copy.")] = False,
    plain: PlainOption = False,
) -> int:
    """Copy the sample to ./evaltui-demo and open it; needs no key and no network."""
    from evaltui.clock import Ids, system_clock
    from evaltui.commands.console import note
    from evaltui.demo import REVIEWER, prepare
    from evaltui.engine.requests import RunRequest

    suite = prepare(Path("evaltui-demo").absolute(), system_clock(), Ids(), reset=reset)
    note(f"the demo is in {suite.parent}")
    request = RunRequest(
        (str(suite),), str(Path.cwd()), reviewer=REVIEWER, arguments=("run", str(suite))
    )
    start(request, Printing(False, plain), _INTRODUCTION)
    return ExitCode.OK


def start(request: RunRequest, printing: Printing, introduction: str = "") -> int:
    """Run in a screen or headless; reports are written either way."""
    from evaltui.commands.console import on_terminal

    if on_terminal(ci=printing.ci, plain=printing.plain):
        from evaltui.commands.on_screen import run_on_screen

        return run_on_screen(request, printing.reports, introduction)
    return run_here(request, printing)


def run_here(request: RunRequest, printing: Printing) -> int:
    """Run in this process and print."""
    import sys

    from evaltui.clock import Ids, system_clock
    from evaltui.collector import calm_collector
    from evaltui.commands.console import style_for
    from evaltui.commands.failed_run import reported
    from evaltui.commands.headless import owns_stdout, run_headless
    from evaltui.commands.signals import signals_as_interrupts
    from evaltui.engine.preparing import prepare

    with signals_as_interrupts(), reported(request, printing.reports):
        plan = prepare(request, system_clock(), Ids())
    calm_collector()
    lines = sys.stderr if owns_stdout(printing.reports) else sys.stdout
    try:
        return run_headless(plan, printing.reports, style_for(lines, plain=printing.plain))
    finally:
        plan.store.close()


def _exclusive(value: bool, name: str, other: bool, other_name: str) -> bool:
    if value and other:
        raise UsageError(f"{name} cannot be used together with {other_name}")
    return value


def _reports(texts: list[str] | None) -> tuple[ReportRequest, ...]:
    from evaltui.reports import formats
    from evaltui.reports.base import parse_requests

    return parse_requests(texts or [], formats())


def _money(text: str | None) -> Decimal | None:
    from evaltui.decimals import decimal_of

    if text is None:
        return None
    amount = decimal_of(text)
    if amount is None:
        raise UsageError(f"--max-cost {text} is not a number", hint="write it as 0.50")
    if amount < 0:
        raise UsageError(f"--max-cost {text} is not an amount")
    return amount


def _arguments() -> tuple[str, ...]:
    import sys

    from evaltui.commands.words import argument_text

    return tuple(argument_text(word) for word in sys.argv[1:])
