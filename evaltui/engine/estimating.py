"""What a run would send, and about what that costs; nobody is asked and nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from msgspec import Struct

from evaltui.clock import Clock
from evaltui.engine.answers import Answers
from evaltui.engine.budget import Budget
from evaltui.engine.preparing import Loaded
from evaltui.engine.services import RunServices
from evaltui.engine.waiting import run_in_greenlet
from evaltui.models import CallRecord, CaseSpec
from evaltui.providers.judging import SYSTEM_PROMPT
from evaltui.providers.pricing import PriceTable
from evaltui.review.context import ReviewContext
from evaltui.store.records import CachedAnswer
from evaltui.suites.base import CaseContext

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; other languages need more tokens."""


class CasePlan(Struct, frozen=True):
    """The calls that a case would make if every answer were like the mock's."""

    spec: CaseSpec
    calls: tuple[CallRecord, ...]


class Estimate(Struct):
    """The calls to one provider for one capability; ``cached`` ones are answered by the store.

    Costs are None where the price is unknown; ``at_most`` also where replies are not bounded.
    """

    provider: str
    capability: str
    vendor: str
    model: str | None
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int | None = 0
    at_least: Decimal | None = None
    at_most: Decimal | None = None


def input_tokens(call: CallRecord) -> int:
    """About how many tokens a call sends."""
    sent = sum(len(text) for _, text in call.input)
    if call.capability == "judge":
        sent += len(SYSTEM_PROMPT)
    return -(-sent // CHARACTERS_PER_TOKEN)


async def case_plans(
    loaded: Loaded, clock: Clock, cached: Callable[[str], CachedAnswer | None]
) -> list[CasePlan]:
    """What every case would send; ``cached`` finds answers of earlier runs."""
    policy, sections = loaded.project.policy, loaded.selection.sections
    context = ReviewContext.load(sections, policy, clock, run_id=loaded.run.id)
    services = RunServices(
        loaded.run.id,
        "",
        clock,
        Answers(cached, lambda key, answer: None),
        Budget(),
        context,
        policy.run.case_seconds,
    )
    plans = []
    for spec, (suite, position) in zip(
        loaded.selection.specs, loaded.selection.origins, strict=True
    ):
        case = CaseContext(services, sections[spec.section], position)
        result = await run_in_greenlet(suite.execute, spec, case)
        plans.append(CasePlan(spec, result.calls))
    return plans


def estimates(
    plans: list[CasePlan], max_tokens: Mapping[tuple[str, str], int], prices: PriceTable
) -> list[Estimate]:
    """Sums by provider and capability; ``max_tokens`` bounds their replies where it is set."""
    sums: dict[tuple[str, str], Estimate] = {}
    for call in _calls(plans):
        key = call.provider, call.capability
        one = sums.setdefault(key, Estimate(*key, call.vendor, call.model))
        if call.cache_hit:
            one.cached += 1
            continue
        one.calls += 1
        one.input_tokens += input_tokens(call)
        bound = 0 if call.capability == "embed" else max_tokens.get(key)
        known = bound is not None and one.output_tokens is not None
        one.output_tokens = (one.output_tokens or 0) + (bound or 0) if known else None
    for one in sums.values():
        _price(one, prices)
    return [sums[key] for key in sorted(sums)]


def _calls(plans: list[CasePlan]) -> Iterator[CallRecord]:
    for plan in plans:
        yield from plan.calls


def _price(one: Estimate, prices: PriceTable) -> None:
    price = prices.price(one.vendor, one.model)
    if price is not None:
        one.at_least = price.cost(one.input_tokens, 0)
        one.at_most = price.cost(one.input_tokens, one.output_tokens)
