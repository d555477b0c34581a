"""``evaltui show`` and ``evaltui trace``: a stored run, its cases, their calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaltui.commands.options import (
    JsonOption,
    ProjectOption,
    ReportOption,
    RunOption,
    StoreOption,
)
from evaltui.errors import ExitCode

if TYPE_CHECKING:
    from evaltui.models import CallRecord, CheckJudgement, CheckResult
    from evaltui.store.records import CaseRecord

_TEXT = 4000
Words = Annotated[
    list[str] | None, typer.Argument(metavar="[RUN] [CASE...]", help="A run, cases of it.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this family."""
    app.command("show")(show)
    app.command("trace")(trace)


def show(
    words: Words = None,
    run: RunOption = None,
    report: ReportOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show a stored run, or everything about some of its cases."""
    import sys

    from evaltui.commands.headless import write_reports
    from evaltui.commands.stored import find_case, opened, view_of_stored
    from evaltui.reports import formats
    from evaltui.reports import report as report_named
    from evaltui.reports.base import parse_requests

    requests = parse_requests(report or [], formats())
    with opened(project, store) as stored:
        info, cases = stored.run_and_words(run, words or [])
        if not cases:
            view = view_of_stored(stored, info)
            write_reports(view, requests)
            if not requests:
                report_named("json" if as_json else "text")(view, sys.stdout)
            return ExitCode.OK
        rows = stored.store.summaries(info.id)
        found = [find_case(info, rows, text) for text in cases]
        records = [stored.store.record(info.id, row.index) for row in found]
    if as_json:
        _print_records(records)
    else:
        for record in records:
            _print_case(record)
    return ExitCode.OK


def trace(
    words: Words = None,
    run: RunOption = None,
    project: ProjectOption = Path(),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show the calls of cases: what was sent, what came back, from whom, how long it took."""
    from evaltui.commands.console import count
    from evaltui.commands.stored import find_case, opened
    from evaltui.errors import UsageError

    with opened(project, store) as stored:
        info, cases = stored.run_and_words(run, words or [])
        if not cases:
            raise UsageError("name a case", hint=f"evaltui show {info.label} lists them")
        rows = stored.store.summaries(info.id)
        found = [find_case(info, rows, text) for text in cases]
        records = [stored.store.record(info.id, row.index) for row in found]
    if as_json:
        _print_records(records)
    else:
        for record in records:
            print(f"{_safe(record.spec.case_id)}: {count(len(record.result.calls), 'call')}")
            for call in record.result.calls:
                _print_call(call)
    return ExitCode.OK


def _print_records(records: list[CaseRecord]) -> None:
    from evaltui.commands.console import print_json

    print_json(records)


def _print_case(record: CaseRecord) -> None:
    spec, result, judgement = record.spec, record.result, record.judgement
    _field("case", " ".join((spec.case_id, *spec.slices)))
    _field("outcome", _outcome(record))
    _field("row", spec.row)
    if result.output is not None:
        _field("output", _value(result.output))
    if result.error is not None:
        error = result.error
        _field("error", f"{error.failure_class}/{error.kind}: {error.message}")
        _field("next", error.next_action)
    if result.suspension is not None:
        waiting = result.suspension
        _field("waiting", f"{waiting.name}: {waiting.reason} {waiting.arguments}")
    checks = {check.id: check for check in result.checks}
    for judged in judgement.checks:
        _print_check(judged, checks.get(judged.id))
    _field("instrument", result.instrument or "none")
    _field("calls", str(len(result.calls)))
    print()


def _outcome(record: CaseRecord) -> str:
    judgement = record.judgement
    notes = [*judgement.badges, *([judgement.decision] if judgement.decision else [])]
    gates = f"; gates {', '.join(judgement.gates)}" if judgement.gates else ""
    return f"{judgement.outcome}{gates}{'; ' + ', '.join(notes) if notes else ''}"


def _print_check(judged: CheckJudgement, result: CheckResult | None) -> None:
    _field(judged.id, f"{judged.outcome} {judged.message}".rstrip())
    if judged.old is not None:
        _field(f"  old ({judged.old_label})", _value(judged.old))
    if result is not None and result.value is not None:
        _field("  new", _value(result.value))
    if judged.delta:
        _field("  change", judged.delta)
    for attempt in result.attempts if result is not None else ():
        _field(f"  attempt {attempt.number + 1}", attempt.verdict)


def _print_call(call: CallRecord) -> None:
    asked = call.model or call.vendor
    answered = f" (answered by {call.answered_by})" if call.answered_by else ""
    hit = ", from the cache" if call.cache_hit else ""
    time = f", {call.latency_ms:.0f} ms" if call.latency_ms else ""
    what = (
        f"judge {call.judge}, attempt {call.judge_attempt + 1}" if call.judge else call.capability
    )
    inside = f" in {call.scope}" if call.scope else ""
    print(f"  #{call.number} {_safe(what)}{_safe(inside)}")
    _field("    asked", f"{call.provider} {asked}{answered}{hit}{time}")
    for role, text in call.input:
        _field(f"    {role}", text)
    if call.output is not None:
        _field("    answer", _value(call.output))
    if call.error is not None:
        kind = f"{call.failure_class}/{call.kind}: " if call.failure_class else ""
        _field("    error", f"{kind}{call.error}")
    if call.raw is not None and call.output is None:
        _field("    raw", call.raw)
    for attempt in call.attempts:
        if attempt.error is not None:
            _field(f"    try {attempt.number}", f"status {attempt.status}: {attempt.error}")


def _field(label: str, text: str) -> None:
    lines = _safe(text[:_TEXT] + ("…" if len(text) > _TEXT else "")).split("\n") or [""]
    print(f"{_safe(label):<16} {lines[0]}".rstrip())
    for line in lines[1:]:
        print(f"{'':<16} {line}".rstrip())


def _value(tagged_text: str) -> str:
    from evaltui.engine.finite import recalled
    from evaltui.engine.values import display

    return display(recalled(tagged_text))


def _safe(text: str) -> str:
    from evaltui.text import safe

    return safe(text, newlines=True)
