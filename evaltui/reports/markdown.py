"""Markdown small enough for a pull request comment: scope, findings, the worst cases first."""

from __future__ import annotations

import re
from itertools import islice
from typing import TextIO

from evaltui.models import Outcome
from evaltui.reports.scope import findings, scope
from evaltui.reports.view import ReportedCase, RunView, case_name, next_action, what_of, worst_first
from evaltui.text import one_line

LIMIT = 60_000
"""Characters; hosts refuse comments beyond 65,536."""
_WORST = 10
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~@&$])")


def write(view: RunView, out: TextIO) -> None:
    """Write the comment; what does not fit is counted, never cut in the middle of a line."""
    lines = _headline(view) + _worst(view) + _table("Scope", scope(view))
    length = 0
    for number, line in enumerate(lines):
        length += len(line) + 1
        if length > LIMIT:
            out.write(f"\n*{len(lines) - number} more lines: `evaltui show {view.run.label}`*\n")
            return
        out.write(line + "\n")


def _headline(view: RunView) -> list[str]:
    verdict = "every gate holds" if view.exit_code == 0 else f"exit {int(view.exit_code)}"
    return [f"## evaltui: {verdict}", "", *_table("Findings", findings(view))]


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    lines = [f"| {title} | |", "|---|---|"]
    return [*lines, *(f"| {label} | {escape(text, 500)} |" for label, text in rows), ""]


def _worst(view: RunView) -> list[str]:
    red = worst_first(view.summaries)
    if not red:
        return []
    chosen = {row.index for row in red[:_WORST]}
    found = {case.summary.index: case for case in _details(view, chosen)}
    cases = [found[row.index] for row in red[:_WORST]]
    more = f", the worst {_WORST} of {len(red)}" if len(red) > _WORST else ""
    return [
        f"### To look at{more}",
        "",
        "| outcome | case | what | next |",
        "|---|---|---|---|",
        *(_row(view, case) for case in cases),
        "",
    ]


def _details(view: RunView, chosen: set[int]) -> list[ReportedCase]:
    wanted = (case for case in view.cases() if case.summary.index in chosen)
    return list(islice(wanted, len(chosen)))


def _row(view: RunView, case: ReportedCase) -> str:
    row = case.summary
    name = case_name(view, row)
    what = " ".join(what_of(row))
    if row.outcome is Outcome.ERROR and row.failure_class:
        what = f"{row.failure_class}/{row.kind} {what}"
    cells = (str(row.outcome), escape(name, 80), escape(what, 240), escape(next_action(case, name)))
    return f"| {' | '.join(cells)} |"


def escape(text: str, limit: int = 300) -> str:
    """Safe text on one line in which nothing is markup, a mention or HTML."""
    return _SPECIAL.sub(_escaped, one_line(text, limit))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    entities = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}
    return entities.get(character, f"\\{character}")
