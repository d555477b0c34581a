"""What every report is made from: one run, its rows, its gates, and what it came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec import Struct, field

from evaltui.models import (
    CaseResult,
    CaseSpec,
    CaseSummary,
    Gate,
    Judgement,
    Outcome,
    RunInfo,
    Section,
)
from evaltui.review.gates import GateCount

JUDGED = (Outcome.PASS, Outcome.FAIL, Outcome.REVIEW)
BESIDE = (Outcome.ERROR, Outcome.SUSPENDED, Outcome.SKIPPED)


class ReportedCase(Struct, frozen=True):
    """A row and, where they are at hand, the details behind it."""

    summary: CaseSummary
    spec: CaseSpec | None = None
    result: CaseResult | None = None
    judgement: Judgement | None = None


class RunView(Struct, frozen=True):
    """A run as reports see it; rows are in case order, removed cases last."""

    run: RunInfo
    summaries: Sequence[CaseSummary]
    exit_code: int
    gates: tuple[GateCount, ...] = ()
    gate_lines: tuple[str, ...] = ()
    """One for each failing gate and each reason for incompleteness, worst first."""
    incomplete: str | None = None
    """Why the run did not come to its end, or has too little to say."""
    by_policy: Mapping[int, Outcome] = field(default_factory=dict)
    """Outcomes by the policy alone of the rows where live decisions changed it."""
    details: Callable[[], Iterator[ReportedCase]] | None = None

    def cases(self) -> Iterator[ReportedCase]:
        """All rows, with their details if they can be read."""
        if self.details is None:
            return (ReportedCase(summary) for summary in self.summaries)
        return self.details()

    @property
    def failing_gates(self) -> frozenset[Gate]:
        """The gates that fail this run."""
        return frozenset(one.gate for one in self.gates if one.fails)

    def section(self, number: int) -> Section | None:
        """The section of a row."""
        sections = self.run.sections
        return sections[number] if 0 <= number < len(sections) else None


class Totals(Struct, frozen=True):
    """Numbers over rows; ``answered`` is the denominator of the pass rate."""

    counts: Mapping[Outcome, int]
    waived: int
    red: int
    calls: int
    cache_hits: int
    tokens: int
    cost: Decimal | None

    @property
    def passed(self) -> int:
        return self.counts[Outcome.PASS]

    @property
    def answered(self) -> int:
        return sum(self.counts[outcome] for outcome in JUDGED)

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def totals(rows: Iterable[CaseSummary]) -> Totals:
    """Count rows; a removed case counts as the review that it is."""
    rows = list(rows)
    counts = Counter(row.outcome for row in rows)
    costs = [row.cost for row in rows if row.cost is not None]
    return Totals(
        {outcome: counts[outcome] for outcome in Outcome},
        waived=sum(row.waived for row in rows),
        red=sum(row.red for row in rows),
        calls=sum(row.calls for row in rows),
        cache_hits=sum(row.cache_hits for row in rows),
        tokens=sum(row.tokens for row in rows),
        cost=sum(costs, Decimal(0)) if costs else None,
    )


def pass_rate(passed: int, answered: int) -> str:
    """``97.4% (37 of 38)``, rounded down so that only a full house reads 100%."""
    if not answered:
        return "none (nothing was answered)"
    tenths = passed * 1000 // answered
    return f"{tenths // 10}.{tenths % 10}% ({passed} of {answered})"


def policy_pass_rate(view: RunView) -> str | None:
    """The pass rate by the policy alone, when live decisions change any outcome."""
    if not view.by_policy:
        return None
    outcomes = Counter(view.by_policy.get(row.index, row.outcome) for row in view.summaries)
    return pass_rate(outcomes[Outcome.PASS], sum(outcomes[outcome] for outcome in JUDGED))


def case_name(view: RunView, row: CaseSummary) -> str:
    """The case id, preceded by the benchmark (and the suite) where the run has several."""
    section = view.section(row.section)
    sections = view.run.sections
    if section is None or len(sections) < 2:
        return row.case_id
    if len({one.suite for one in sections}) < 2:
        return f"{section.benchmark}:{row.case_id}"
    return f"{section.suite}:{section.benchmark}:{row.case_id}"


def what_of(row: CaseSummary) -> list[str]:
    """The failing check, how the value moved and the message, each said once."""
    message = row.message if row.outcome is not Outcome.PASS else ""
    change = row.change if row.change not in message else ""
    return [text for text in (row.check, change, message) if text]


def worst_first(rows: Iterable[CaseSummary]) -> list[CaseSummary]:
    """The rows a person still has to look at: failures first, then in case order."""
    severity = (Outcome.FAIL, Outcome.ERROR, Outcome.SUSPENDED, Outcome.REVIEW)
    red = [row for row in rows if row.red]
    return sorted(red, key=lambda row: (severity.index(row.outcome), row.index))


def next_action(case: ReportedCase, name: str) -> str:
    """What to do about a red case, as a command where there is one."""
    row, result = case.summary, case.result
    if row.outcome is Outcome.ERROR:
        advice = result.error.next_action if result is not None and result.error else ""
        return advice or f"evaltui trace {quoted(name)}"
    if row.outcome is Outcome.SUSPENDED:
        return f"evaltui approve {quoted(name)}, or deny"
    for gate in row.gates:
        if gate in _BY_GATE:
            return _BY_GATE[gate].format(case=quoted(name))
    return f"evaltui show {quoted(name)}"


_BY_GATE = {
    Gate.FAIL: "evaltui show {case}, then mend it or accept or waive it",
    Gate.DRIFT: "evaltui accept {case}, or widen",
    Gate.NEW: "evaltui accept {case}",
    Gate.EXPIRED: "evaltui renew {case}, or accept the new value",
    Gate.UNREVIEWED: "evaltui accept {case}, or evaltui baselines adopt",
    Gate.CONFLICT: "evaltui decisions list, then decide once more",
    Gate.INSTRUMENT: "evaltui accept {case}",
    Gate.REMOVED: "evaltui waive {case}, or evaltui cases link OLD NEW",
}


def quoted(text: str) -> str:
    """``text`` as one word of a POSIX command line."""
    from shlex import quote

    return quote(text)
