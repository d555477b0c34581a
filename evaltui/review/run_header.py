"""The lines above the table: what runs, how far it is, what it came to so far."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Protocol

from msgspec import Struct

from evaltui.models import Outcome, RunInfo
from evaltui.review.formats import cost_text, count_text, duration_text
from evaltui.review.spans import GLYPHS, Line, Role, Span, line, width_of
from evaltui.text import one_line

_SHORT_DIGEST = 8
_BAR = 24
_ROOMY = 90
"""From this width on outcomes that no case has are shown too."""


class Counted(Protocol):
    """What the header needs of the totals of a run."""

    @property
    def counts(self) -> Mapping[Outcome, int]: ...
    @property
    def red(self) -> int: ...
    @property
    def undecided(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def cache_hits(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def cost(self) -> Decimal: ...
    @property
    def pass_rate(self) -> str: ...


class Progress(Struct, frozen=True):
    """How far a run is. ``state`` is ``starting``, ``running``, ``stopping``, ``finished``,
    ``interrupted`` or ``died``; ``elapsed_ms`` counts from its start.
    """

    done: int
    total: int
    state: str
    elapsed_ms: float = 0.0
    in_flight: int = 0

    @property
    def live(self) -> bool:
        return self.state in ("starting", "running", "stopping")

    @property
    def remaining_ms(self) -> float | None:
        """Estimated from the pace so far; None while too little is known."""
        if not self.live or not self.done or self.done >= self.total:
            return None
        return self.elapsed_ms / self.done * (self.total - self.done)


def header_lines(run: RunInfo, totals: Counted, progress: Progress, width: int) -> list[Line]:
    """Three lines: identity, progress with the six counts, effort; what does not fit is cut."""
    return [
        _fitting(_identity(run, progress), width),
        _fitting(_counts(totals, progress, width), width),
        _fitting(_effort(totals, progress), width),
    ]


def _fitting(parts: list[Line], width: int) -> Line:
    """Join parts with two spaces for as long as they fit."""
    done: list[Span] = []
    used = 0
    for part in parts:
        size = width_of(part) + (2 if done else 0)
        if used + size > width:
            if not done:
                done = [Span(one_line("".join(span.text for span in part), width), part[0].role)]
            break
        done.extend((Span("  "), *part) if done else part)
        used += size
    return tuple(done)


def _identity(run: RunInfo, progress: Progress) -> list[Line]:
    suites = list(dict.fromkeys(section.suite for section in run.sections))
    name = suites[0] if len(suites) == 1 else f"{len(suites)} suites"
    parts = [
        line(one_line(name or "no suite", 60), Role.TITLE),
        line(run.label or run.id[:_SHORT_DIGEST]),
        line(run.mode_word, Role.PLAIN if run.mode == "live" else Role.REVIEW),
        _state(progress),
        line(one_line(run.instrument, 80), Role.QUIET) if run.instrument else (),
        line(f"policy {run.policy_digest[:_SHORT_DIGEST]}", Role.QUIET),
        line(f"clock {run.clock}", Role.REVIEW) if run.clock else (),
    ]
    return [part for part in parts if part]


def _state(progress: Progress) -> Line:
    role = {"finished": Role.PASS, "died": Role.ERROR, "interrupted": Role.REVIEW}
    return line(progress.state, role.get(progress.state, Role.LABEL))


def _counts(totals: Counted, progress: Progress, width: int) -> list[Line]:
    parts = [
        line(f"{GLYPHS[outcome]} {count:,} {outcome}", Role(outcome.value) if count else Role.QUIET)
        for outcome in Outcome
        for count in (totals.counts.get(outcome, 0),)
        if count or width >= _ROOMY
    ]
    spare = width - sum(width_of(part) + 2 for part in parts) - 2 * len(str(progress.total)) - 2
    return [_bar(progress, min(max(spare, 4), _BAR)), *parts]


def _bar(progress: Progress, cells: int) -> Line:
    share = min(progress.done / progress.total, 1.0) if progress.total else float(not progress.live)
    full = int(share * cells)
    text = f" {progress.done:,}/{progress.total:,}"
    return (
        Span("█" * full, Role.BAR),
        Span("░" * (cells - full), Role.QUIET),
        Span(text, Role.PLAIN),
    )


def _effort(totals: Counted, progress: Progress) -> list[Line]:
    remaining = progress.remaining_ms
    calls = f"{totals.calls:,} call{'' if totals.calls == 1 else 's'}"
    if totals.cache_hits:
        calls += f", {totals.cache_hits:,} cached"
    red = line(f"{totals.red:,} red", Role.FAIL if totals.red else Role.PASS)
    parts = [
        red,
        line(f"{totals.undecided:,} undecided") if totals.undecided else (),
        line(f"pass rate {totals.pass_rate}", Role.LABEL) if totals.pass_rate else (),
        line(calls, Role.QUIET),
        line(f"{count_text(totals.tokens)} tokens", Role.QUIET) if totals.tokens else (),
        line(cost_text(totals.cost), Role.QUIET) if totals.cost else (),
        line(duration_text(progress.elapsed_ms), Role.QUIET) if progress.elapsed_ms else (),
        line(f"about {duration_text(remaining)} left", Role.QUIET) if remaining else (),
        line(f"{progress.in_flight} in flight", Role.QUIET) if progress.in_flight else (),
    ]
    return [part for part in parts if part]
