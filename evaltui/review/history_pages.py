"""What has been run and what has been decided, as lines."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from evaltui.models import Action, Decision, Outcome
from evaltui.review.context import ReviewContext
from evaltui.review.expiry import time_left
from evaltui.review.pages import Page, PageWriter
from evaltui.review.spans import GLYPHS, Line, Role, Span, cut_line, line
from evaltui.store.records import RunRow
from evaltui.text import one_line, pad

_ID = 12


def run_line(row: RunRow, width: int) -> Line:
    """A run in one line: label, when, state, mode, counts, suites."""
    counts = [
        Span(f"{GLYPHS[outcome]} {row.counts[outcome]:,}  ", Role(outcome.value))
        for outcome in Outcome
        if row.counts.get(outcome)
    ]
    red = Span(f"{row.red:,} red".ljust(9), Role.FAIL if row.red else Role.QUIET)
    spans = (
        Span(pad(row.label, 7), Role.TITLE),
        Span(pad(row.started_at[:16].replace("T", " "), 18), Role.QUIET),
        Span(pad(row.state, 13), Role.PLAIN if row.state == "finished" else Role.REVIEW),
        Span(pad(row.mode_word, 14) if row.imported else pad(str(row.mode), 10), Role.QUIET),
        red,
        *counts,
        *line(one_line(" ".join((*row.suites, *row.benchmarks)), 200), Role.QUIET),
    )
    return cut_line(spans, width)


def decisions_of(context: ReviewContext) -> list[Decision]:
    """The decisions of every suite folder of a run."""
    logs = [folder.log for folder in context.folders.values()]
    return [decision for log in logs for decision in log.decisions.values()]


def decisions_page(decisions: Iterable[Decision], today: date, width: int) -> Page:
    """Decisions, the newest first: who, what, about which cases, until when, why."""
    writer = PageWriter(width)
    ordered = sorted(decisions, key=lambda one: one.created_at, reverse=True)
    reverted = {
        target.decision
        for one in ordered
        if one.action is Action.REVERT
        for target in one.targets
        if target.case_id is None and target.decision
    }
    if not ordered:
        writer.text("Nothing has been decided yet.", Role.QUIET, indent=0)
    for one in ordered:
        _decision(writer, one, today, one.id in reverted)
    return writer.page()


def _decision(writer: PageWriter, one: Decision, today: date, reverted: bool) -> None:
    ends = "reverted" if reverted else _ends(one, today)
    action = one.action.replace("_", " ")
    title = f"{action} · {one.reviewer} · {one.created_at[:10]}"
    writer.heading(title, " · ".join(part for part in (ends, one.id[:_ID]) if part))
    cases = list(dict.fromkeys(target.case_id for target in one.targets if target.case_id))
    if cases:
        more = f" and {len(cases) - 8:,} more" if len(cases) > 8 else ""
        writer.text(", ".join(one_line(case, 60) for case in cases[:8]) + more)
    notes = dict.fromkeys(target.note for target in one.targets if target.note)
    words = [one.cause.replace("_", " ") if one.cause else "", one.reason, *notes]
    text = ": ".join(word for word in words if word)
    if text:
        writer.text(one_line(text, 500), Role.QUIET)


def _ends(one: Decision, today: date) -> str:
    if one.expires_at is None:
        return ""
    try:
        return time_left(date.fromisoformat(one.expires_at), today)
    except ValueError:
        return one_line(one.expires_at, 40)
