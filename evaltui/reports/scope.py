"""The lines that say what a report is about and what it is not about."""

from __future__ import annotations

from evaltui.models import Outcome, RunInfo
from evaltui.reports.view import BESIDE, RunView, Totals, pass_rate, policy_pass_rate, totals
from evaltui.review.gates import GateCount
from evaltui.text import one_line

_WIDTH = 500
_UNKNOWN = "unknown"


def scope(view: RunView) -> list[tuple[str, str]]:
    """What was measured, with what, under which rules: label and safe text."""
    run = view.run
    lines = [("run", _run_text(run))]
    lines += [("suite", line) for line in _suites(run)]
    lines.append(("instrument", run.instrument or "none"))
    lines.append(("mode", _mode(run)))
    lines.append(("policy", run.policy_digest[:12] or "none"))
    lines += clock_line(run)
    if run.filtered and not run.imported:
        lines.append(("cases", "only the cases asked for; missing ones are not judged"))
    if run.commit:
        lines.append(("commit", run.commit))
    return [(label, one_line(text, _WIDTH)) for label, text in lines]


def clock_line(run: RunInfo) -> list[tuple[str, str]]:
    """One line where the day is not that of the machine's clock."""
    if not run.clock:
        return []
    return [("clock", one_line(f"set by EVALTUI_NOW={run.clock}", _WIDTH))]


def findings(view: RunView) -> list[tuple[str, str]]:
    """What it came to: counts, pass rate with its denominator, cost, gates."""
    total = totals(view.summaries)
    lines = [("cases", counts_text(total)), ("pass rate", _rate(total))]
    by_policy = policy_pass_rate(view)
    if by_policy:
        lines.append(("", f"{by_policy} by the policy alone, without live decisions"))
    lines.append(("calls", calls_text(total)))
    missing = not_answered(view)
    if missing:
        lines.append(("not answered", missing))
    lines += [line_of(text) for text in view.gate_lines]
    lines += [("reported", gate_text(one)) for one in view.gates if not one.fails]
    lines += [("warning", problem) for problem in view.run.problems]
    lines.append(("exit", str(int(view.exit_code))))
    return [(label, one_line(text, _WIDTH)) for label, text in lines]


def counts_text(total: Totals) -> str:
    """``40: 31 pass, 5 fail (1 waived), 4 review``; outcomes that did not occur are left out."""
    parts = [f"{count} {outcome}" for outcome, count in total.counts.items() if count]
    waived = f"; {total.waived} waived" if total.waived else ""
    return f"{total.total}: {', '.join(parts) or 'none'}{waived}; {total.red} to look at"


def calls_text(total: Totals) -> str:
    """``80, 12 from the cache; 1234 tokens; $0.0012``."""
    cost = f"; ${total.cost}" if total.cost is not None else ""
    tokens = f"; {total.tokens} tokens" if total.tokens else ""
    return f"{total.calls}, {total.cache_hits} from the cache{tokens}{cost}"


def not_answered(view: RunView, limit: int = 8) -> str:
    """The cases without an answer by outcome, a few of them named."""
    parts = []
    for outcome in BESIDE:
        names = [row.case_id for row in view.summaries if row.outcome is outcome]
        if names:
            shown = ", ".join(names[:limit])
            more = f" and {len(names) - limit} more" if len(names) > limit else ""
            parts.append(f"{len(names)} {outcome} ({shown}{more})")
    return "; ".join(parts)


def line_of(text: str) -> tuple[str, str]:
    """A line of the gate report, split into its label and the rest."""
    label, found, rest = text.partition(": ")
    word, _, gate = label.partition(" ")
    return (word, f"{gate}: {rest}" if gate else rest) if found else ("", text)


def gate_text(one: GateCount) -> str:
    """``unstable: 2 cases``."""
    return f"{one.gate}: {_cases(one.count)}"


def _cases(count: int) -> str:
    return f"{count} {'case' if count == 1 else 'cases'}"


def _run_text(run: RunInfo) -> str:
    ended = f", {run.state}" if run.state != "finished" else ""
    resumed = f", repeats cases of {run.parent}" if run.parent else ""
    name = f"{run.label} ({run.id})" if run.label else run.id
    return f"{name} of {run.started_at}{ended}{resumed}"


def _suites(run: RunInfo) -> list[str]:
    return [
        f"{one.suite}: {one.benchmark}, {_cases(one.cases)}, "
        f"suite {one.suite_digest[:12] or _UNKNOWN}, dataset {one.dataset_digest[:12] or _UNKNOWN}"
        for one in run.sections
    ] or ["none"]


def _mode(run: RunInfo) -> str:
    if run.imported:
        return f"{run.mode_word}, from {run.imported}"
    return f"{run.mode} of {run.replay_of}" if run.replay_of else str(run.mode)


def _rate(total: Totals) -> str:
    beside = [f"{total.counts[outcome]} {outcome}" for outcome in BESIDE if total.counts[outcome]]
    rate = pass_rate(total.counts[Outcome.PASS], total.answered)
    return rate + (f"; beside it {', '.join(beside)}" if beside else "")
