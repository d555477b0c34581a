"""Text for people: one line a case, the details of the red ones, scope and findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from evaltui.models import CaseSummary, Outcome
from evaltui.reports.scope import clock_line, findings, scope
from evaltui.reports.view import ReportedCase, RunView, case_name, next_action, what_of
from evaltui.review.spans import GLYPHS
from evaltui.text import one_line, safe

COLOURS: Final = {
    Outcome.PASS: "32",
    Outcome.FAIL: "31",
    Outcome.REVIEW: "33",
    Outcome.ERROR: "35",
    Outcome.SUSPENDED: "36",
    Outcome.SKIPPED: "2",
}
_LABEL = 14
_VALUE = 2000


def case_line(view: RunView, row: CaseSummary, *, glyphs: bool = True, colour: bool = False) -> str:
    """A case on one line: outcome, id, slices, failing check, change, message, decision."""
    word = f"{GLYPHS[row.outcome]} {row.outcome:<9}" if glyphs else f"{row.outcome:<9}"
    if colour:
        word = f"\x1b[{COLOURS[row.outcome]}m{word}\x1b[0m"
    parts = [one_line(case_name(view, row), 120)]
    parts += [one_line(text, 200) for text in (*row.slices, *what_of(row))]
    notes = [*row.badges, *([row.decision] if row.decision else [])]
    if row.waived and not row.decision:
        notes.append("waived")
    if notes:
        parts.append(f"[{one_line(', '.join(notes), 200)}]")
    return f"{word} {'  '.join(parts)}".rstrip()


def labelled(label: str, text: str) -> str:
    """``label         text``, made safe."""
    return f"{label:<{_LABEL}}{safe(text)}".rstrip()


def write(view: RunView, out: TextIO) -> None:
    """Write the whole run as text."""
    for label, text in scope(view):
        print(labelled(label, text), file=out)
    print(file=out)
    red = []
    for case in view.cases():
        print(case_line(view, case.summary), file=out)
        if case.summary.red:
            red.append(case)
    for case in red:
        _write_detail(view, case, out)
    print(file=out)
    _write_lines(findings(view), out)


def write_findings(view: RunView, out: TextIO) -> None:
    """Write what the run came to, and the clock if it was set."""
    _write_lines([*clock_line(view.run), *findings(view)], out)


def _write_lines(lines: Iterable[tuple[str, str]], out: TextIO) -> None:
    for label, text in lines:
        print(labelled(label, text), file=out)


def _write_detail(view: RunView, case: ReportedCase, out: TextIO) -> None:
    name = case_name(view, case.summary)
    print(f"\n{case.summary.outcome} {one_line(name, 120)}", file=out)
    if case.result is not None and case.result.error is not None:
        error = case.result.error
        print(f"  {error.failure_class}/{error.kind}: {one_line(error.message, 400)}", file=out)
    for check in case.judgement.checks if case.judgement else ():
        if check.outcome is not Outcome.PASS:
            print(f"  {one_line(check.id, 200)}: {check.outcome}", file=out)
            _write_indented(check.message, out)
    print(f"  next: {one_line(next_action(case, name), 400)}", file=out)


def _write_indented(text: str, out: TextIO) -> None:
    cut = text if len(text) <= _VALUE else text[:_VALUE] + "…"
    for line in safe(cut, newlines=True).splitlines():
        print(f"    {line}", file=out)
