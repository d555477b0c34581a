"""``evaltui run --dry-run``: what would be sent, and about what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from evaltui.clock import Clock, Ids, system_clock
from evaltui.commands.console import count
from evaltui.errors import ExitCode
from evaltui.reports.text import labelled
from evaltui.text import one_line

if TYPE_CHECKING:
    from evaltui.engine.estimating import CasePlan, Estimate
    from evaltui.engine.preparing import Loaded
    from evaltui.engine.requests import RunRequest
    from evaltui.models import CallRecord


def print_plan(request: RunRequest) -> int:
    """Run every case with made-up answers and print what it would send.

    Nobody is called and nothing is stored.
    """
    from evaltui.engine.estimating import estimates
    from evaltui.engine.preparing import load

    clock = system_clock()
    loaded = load(request, clock, Ids())
    for section in loaded.selection.sections:
        cases = count(section.cases, "case")
        print(labelled("suite", f"{section.suite}: {section.benchmark}, {cases}"))
    print(labelled("instrument", loaded.run.instrument or "none"))
    print(labelled("mode", str(loaded.run.mode)))
    for text in (warning for suite in loaded.suites for warning in suite.warnings):
        print(labelled("warning", one_line(text, 500)))
    plans = _plans(loaded, clock, read_cache=not request.no_cache)
    for plan in plans:
        _print_case(loaded, plan)
    for estimate in estimates(plans, _max_tokens(loaded), loaded.network.prices):
        print(labelled("estimate", _estimate(estimate)))
    return ExitCode.OK


def _plans(loaded: Loaded, clock: Clock, *, read_cache: bool) -> list[CasePlan]:
    import asyncio

    from evaltui.engine.estimating import case_plans
    from evaltui.store.store import open_store

    if not read_cache or not loaded.project.store.exists():
        return asyncio.run(case_plans(loaded, clock, lambda key: None))
    store = open_store(loaded.project.store, clock, create=False)
    try:
        return asyncio.run(case_plans(loaded, clock, store.cached))
    finally:
        store.close()


def _print_case(loaded: Loaded, plan: CasePlan) -> None:
    spec = plan.spec
    benchmark = loaded.selection.sections[spec.section].benchmark
    name = "  ".join((f"{benchmark}:{spec.case_id}", *spec.slices))
    print(labelled("case", one_line(name, 200)))
    for call in plan.calls:
        print(labelled("", one_line(_call(call), 160)))


def _call(call: CallRecord) -> str:
    from evaltui.engine.estimating import input_tokens

    what = f"judge {call.judge}" if call.judge else call.capability
    how = "cached" if call.cache_hit else f"~{input_tokens(call)} tokens"
    sent = " | ".join(f"{role}: {text}" for role, text in call.input)
    return f"{call.provider} {what}, {how}: {sent}"


def _estimate(one: Estimate) -> str:
    who = f"{one.provider} {one.capability} ({' '.join(filter(None, (one.vendor, one.model)))})"
    parts = [count(one.calls, "call")]
    if one.cached:
        parts.append(f"{one.cached} more cached")
    parts.append(f"~{one.input_tokens} tokens in")
    if one.output_tokens is None:
        parts.append("replies not bounded (set max_tokens)")
    else:
        parts.append(f"at most {one.output_tokens} out")
    return f"{who}: {', '.join([*parts, _cost(one)])}"


def _cost(one: Estimate) -> str:
    if one.vendor in ("mock", "scripted"):
        return "free"
    if one.at_least is None:
        return "price unknown"
    if one.at_most is None:
        return f"${_money(one.at_least)} and the replies"
    return f"${_money(one.at_least)} to ${_money(one.at_most)}"


def _money(amount: Decimal) -> str:
    """Two significant digits: it is an estimate, and never zero when something is paid."""
    return format(Decimal(f"{amount:.2g}").normalize(), "f")


def _max_tokens(loaded: Loaded) -> dict[tuple[str, str], int]:
    """What bounds the replies of each provider and capability."""
    members: Iterable[dict[str, object]] = (
        member for suite in loaded.suites for member in json.loads(suite.asked)
    )
    found = {}
    for member in members:
        params = member.get("params")
        limit = params.get("max_tokens") if isinstance(params, dict) else None
        if isinstance(limit, int):
            found[str(member["provider"]), str(member["capability"])] = limit
    return found
