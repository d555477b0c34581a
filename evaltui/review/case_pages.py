"""The pages about one case: the preview under the table, and the paired view of everything."""

from __future__ import annotations

import json

from evaltui.models import CallRecord, CheckKind, Gate, Outcome
from evaltui.review.detail import CaseDetail, CheckPair
from evaltui.review.diffing import LIMIT, ValueDiff, cut, diff_values, value_text
from evaltui.review.formats import cost_text, duration_text
from evaltui.review.pages import Page, PageWriter
from evaltui.review.spans import GLYPHS, Line, Role, Span, cut_line, line
from evaltui.text import one_line

_PREVIEW = 1_200
_LABEL = 18
_LOW = 14
NO_EARLIER = "no earlier value"


def preview_page(detail: CaseDetail, width: int, height: int = 40) -> Page:
    """A case at a glance: inputs, old | current, checks, verdicts, calls; long values are cut.

    In a pane of few lines the inputs share one, so that the change is in sight.
    """
    writer = PageWriter(width, side_by_side=width >= 70)
    _head(writer, detail)
    _trouble(writer, detail)
    if any(pair.gate is Gate.INSTRUMENT for pair in detail.pairs):
        _instruments(writer, detail)
    if height < _LOW:
        _inputs_briefly(writer, detail)
    else:
        _inputs(writer, detail, _PREVIEW)
    for pair in _compared(detail):
        _pair(writer, detail, pair, _PREVIEW)
    _output(writer, detail, _PREVIEW)
    _checks(writer, detail)
    _call_lines(writer, detail)
    _history(writer, detail)
    return writer.page()


def diff_page(detail: CaseDetail, width: int, *, side_by_side: bool | None = None) -> Page:
    """Everything about a case, what changed first."""
    writer = PageWriter(width, side_by_side=side_by_side)
    _trouble(writer, detail)
    _instruments(writer, detail)
    for pair in _compared(detail):
        _pair(writer, detail, pair, LIMIT)
    _output(writer, detail, LIMIT)
    _checks(writer, detail)
    _judging(writer, detail)
    _inputs(writer, detail, LIMIT)
    _calls(writer, detail)
    _history(writer, detail)
    return writer.page()


def trace_page(detail: CaseDetail, width: int) -> Page:
    """The calls of a case on a common time line, then each of them in full."""
    writer = PageWriter(width)
    if not detail.calls:
        writer.text("This case made no call.", Role.QUIET, indent=0)
        return writer.page()
    end = max((call.started_ms + call.latency_ms for call in detail.calls), default=0.0)
    writer.heading("time line", duration_text(end))
    for call in detail.calls:
        _time_line(writer, call, end, width)
    _calls(writer, detail)
    return writer.page()


def _time_line(writer: PageWriter, call: CallRecord, end: float, width: int) -> None:
    room = max(width // 3, 8)
    start = round(call.started_ms / end * room) if end else 0
    size = max(round(call.latency_ms / end * room), 1) if end else 1
    bar = (" " * min(start, room - 1) + "█" * size)[:room].ljust(room)
    role = Role.ERROR if call.error else Role.QUIET if call.cache_hit else Role.BAR
    spans = (Span(bar, role), Span(" "), Span("  " if call.parent else ""), *_call_line(call))
    writer.add(cut_line(spans, width - 2), 2)


def case_title(detail: CaseDetail) -> Line:
    """Outcome, case id, benchmark and slices on one line."""
    row = detail.summary
    role = Role(row.outcome.value)
    spans = [Span(f"{GLYPHS[row.outcome]} {row.outcome}", role)]
    if row.waived:
        spans.append(Span(" waived", Role.DECISION))
    spans += [Span("  "), *line(one_line(row.case_id, 200), Role.TITLE)]
    where = " ".join((detail.section.benchmark, *row.slices, *(f"[{b}]" for b in row.badges)))
    spans += [Span("  "), *line(one_line(where, 300), Role.QUIET)]
    return tuple(spans)


def _head(writer: PageWriter, detail: CaseDetail) -> None:
    writer.add(case_title(detail))
    if detail.summary.decision:
        writer.add(line(detail.summary.decision, Role.DECISION))


def _trouble(writer: PageWriter, detail: CaseDetail) -> None:
    """Why there is no answer, and what to do about it."""
    if detail.error is not None:
        error = detail.error
        writer.heading(f"error: {error.failure_class}/{error.kind}")
        writer.text(cut(error.message, _PREVIEW)[0], Role.ERROR)
        if error.next_action:
            writer.text(f"→ {error.next_action}")
    if detail.suspension is not None:
        waiting = detail.suspension
        writer.heading(f"waiting for a person: {waiting.name}")
        writer.text(cut(waiting.reason, _PREVIEW)[0], Role.SUSPENDED)
        writer.field("with", cut(waiting.arguments, _PREVIEW)[0], 6)
        writer.text("→ y approves, d denies", Role.QUIET)
    for title, text in (("stopped", detail.denied), ("not run", detail.skipped)):
        if text:
            writer.heading(title)
            writer.text(cut(text, _PREVIEW)[0])


def _inputs(writer: PageWriter, detail: CaseDetail, limit: int) -> None:
    if not detail.inputs:
        return
    writer.heading("inputs")
    label = min(max(len(name) for name, _ in detail.inputs), _LABEL)
    for name, text in detail.inputs:
        shown, notes = cut(text, limit)
        writer.field(name, "\n".join((shown, *notes)), label)


def _inputs_briefly(writer: PageWriter, detail: CaseDetail) -> None:
    row = detail.summary
    told = {row.case_id, *(name.partition("=")[2] for name in row.slices)}
    spans: Line = ()
    for name, text in detail.inputs:
        if text not in told:
            gap = (Span("  "),) if spans else ()
            label = line(one_line(name, 40), Role.LABEL)
            spans = (*spans, *gap, *label, Span(" "), *line(one_line(text, 200)))
    if spans:
        writer.add(cut_line(spans, writer.width))


def _compared(detail: CaseDetail) -> list[CheckPair]:
    """Checks that have a value to set beside another; those that need a look come first."""
    pairs = [pair for pair in detail.pairs if pair.old is not None or pair.new is not None]
    return sorted(pairs, key=lambda pair: pair.outcome == Outcome.PASS)


def _pair(writer: PageWriter, detail: CaseDetail, pair: CheckPair, limit: int) -> None:
    diff = diff_values(pair.old, pair.new, tolerance=pair.tolerance, limit=limit)
    writer.heading(pair.id, _pair_note(pair, diff))
    if pair.old is None and pair.kind is CheckKind.SNAPSHOT:
        writer.text(NO_EARLIER, Role.QUIET)
    _difference(writer, diff, pair.old_label or "old", f"current ({detail.mode})")


def _pair_note(pair: CheckPair, diff: ValueDiff) -> str:
    delta = pair.delta if diff.kind != "number" else ""
    known = [f"{GLYPHS[pair.outcome]} {pair.outcome}", delta, *diff.notes]
    if diff.kind == "same":
        known.append("unchanged")
    if pair.tolerance not in ("", "0") and diff.kind != "number":
        known.append(f"tolerance {pair.tolerance}")
    if pair.policy_tolerance != pair.tolerance:
        known.append(f"policy's tolerance {pair.policy_tolerance or '0'}")
    return " · ".join(part for part in known if part)


def _difference(writer: PageWriter, diff: ValueDiff, old_title: str, new_title: str) -> None:
    if diff.kind in ("same", "new", "gone"):
        writer.single(diff.rows)
        return
    writer.pair(diff.rows, old_title, new_title)


def _output(writer: PageWriter, detail: CaseDetail, limit: int) -> None:
    """What ``run:`` bound, when no check compares a value."""
    if detail.output is None or any(pair.kind is CheckKind.SNAPSHOT for pair in detail.pairs):
        return
    diff = diff_values(detail.previous_output, detail.output, limit=limit)
    label = detail.previous_label if detail.previous_output is not None else NO_EARLIER
    drift = [label, *diff.notes, "shown, never gated"]
    writer.heading("output", " · ".join(part for part in drift if part))
    _difference(writer, diff, detail.previous_label or "old", f"current ({detail.mode})")


def _checks(writer: PageWriter, detail: CaseDetail) -> None:
    if not detail.pairs:
        return
    writer.heading("checks")
    for pair in detail.pairs:
        role = Role(pair.outcome.value)
        words = [pair.verdict or "", pair.message, pair.decision]
        gate = f"gate {pair.gate}" if pair.gate and pair.outcome != Outcome.PASS else ""
        text = " · ".join(one_line(word, 400) for word in (*words, gate) if word)
        sign = Span(f"{GLYPHS[pair.outcome]} ", role)
        writer.add((sign, *line(pair.id), Span("  "), *line(text)), 2)


def _judging(writer: PageWriter, detail: CaseDetail) -> None:
    """Rubric, threshold and every declared repeat of what a judge said."""
    for pair in detail.pairs:
        if not pair.rubric and not pair.attempts:
            continue
        writer.heading(f"{pair.id}: judge", f"threshold {pair.threshold}" if pair.threshold else "")
        if pair.rubric:
            writer.field("rubric", cut(pair.rubric, LIMIT)[0], 9)
        for place, attempt in enumerate(pair.attempts, start=1):
            role = Role.PASS if attempt.passed else Role.FAIL
            writer.field(f"attempt {place}", cut(attempt.verdict, LIMIT)[0], 9, role)


def _instruments(writer: PageWriter, detail: CaseDetail) -> None:
    """Old and current instrument, before anything else, when they differ."""
    old, new = detail.instrument_old, detail.instrument_new
    if not old or not new or old == new:
        return
    from evaltui.review.instruments import instrument_changes

    gated = any(pair.gate is Gate.INSTRUMENT for pair in detail.pairs)
    note = "what measured is not what measured the baseline"
    writer.heading("instrument", f"{note} · gate instrument" if gated else note)
    changes = instrument_changes(old, new)
    for text in changes:
        writer.text(one_line(text, 400))
    if not changes:
        _raw_instruments(writer, old, new)


def _raw_instruments(writer: PageWriter, old: str, new: str) -> None:
    from evaltui.review.json_diff import diff_json

    found = diff_json(_loaded(old), _loaded(new))
    writer.pair(found.rows, "baseline's instrument", "this run's instrument")


def _loaded(text: str) -> object:
    try:
        loaded: object = json.loads(text)
    except ValueError:
        return {"instrument": text}
    return loaded if isinstance(loaded, dict) else {"instrument": loaded}


def _call_lines(writer: PageWriter, detail: CaseDetail) -> None:
    if detail.calls:
        writer.heading("calls")
    for call in detail.calls:
        writer.add(_call_line(call), 2)


def _call_line(call: CallRecord) -> Line:
    spans = line(f"{call.number}  {one_line(_call_text(call), 300)}")
    if call.error:
        spans = (*spans, Span("  "), *line(one_line(call.error, 300), Role.ERROR))
    return spans


def _call_text(call: CallRecord) -> str:
    words = [
        f"judge {call.judge}" if call.judge else call.capability,
        f"{call.provider} ({call.answered_by or call.model or call.vendor})",
        duration_text(call.latency_ms),
        _tokens(call),
        cost_text(call.cost),
        "cached" if call.cache_hit else "",
        f"{len(call.attempts)} tries" if len(call.attempts) > 1 else "",
    ]
    return "  ".join(word for word in words if word)


def _tokens(call: CallRecord) -> str:
    if call.input_tokens is None and call.output_tokens is None:
        return ""
    return f"{call.input_tokens or 0}+{call.output_tokens or 0} tokens"


def _calls(writer: PageWriter, detail: CaseDetail) -> None:
    """Prompts, answers, tries and raw replies of every call."""
    for call in detail.calls:
        writer.heading(f"call {call.number}", _call_text(call))
        if call.error:
            _long_field(writer, "error", call.error)
        for role, text in call.input:
            _long_field(writer, role, text)
        if call.output is not None:
            _long_field(writer, "answer", value_text(call.output))
        for attempt in call.attempts if len(call.attempts) > 1 or call.error else ():
            status = attempt.status if attempt.status is not None else "no status"
            words = (f"{status}", duration_text(attempt.latency_ms), attempt.error or "")
            _long_field(writer, f"try {attempt.number}", "  ".join(w for w in words if w))
        if call.raw is not None:
            _long_field(writer, "raw, altered" if call.altered else "raw", call.raw)


def _long_field(writer: PageWriter, name: str, text: str) -> None:
    shown, notes = cut(text.removesuffix("\n"), LIMIT)
    writer.field(name, "\n".join((shown, *notes)), 12)


def _history(writer: PageWriter, detail: CaseDetail) -> None:
    if detail.history:
        writer.heading("decisions")
    for text in detail.history:
        writer.add(line(one_line(text, 400), Role.DECISION), 2)
