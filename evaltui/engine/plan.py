"""``ulx plan``: the calls of a conversation, who would answer them, and a rough cost (9.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from msgspec import Struct

from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.plan_calls import PlannedCall, planned_calls
from evaltui.engine.plan_prices import PRICED_PER_CALL, call_price, token_prices
from evaltui.engine.ulx_session import CommandFailure
from evaltui.models import Mode
from evaltui.providers.base import Instrument, ProviderRequest, Reply
from evaltui.providers.entries import provider_entries, selected
from evaltui.providers.registry import Entry, Registry, no_provider
from evaltui.ulx.manifest import ProviderEntry
from evaltui.ulx.merge import MergedProgram

_ROW: Final = "{:<3} {:<16} {:<20} {:<26} {:>13} {:>24}\n"
_HEADER: Final = (
    "#", "capability", "provider (vendor)", "model", "est. tokens", "est. cost (USD)"
)  # fmt: skip
_REPLY_TOKENS: Final = {"judge": (10, 80), "embed": (0, 0)}
_USUAL_REPLY_TOKENS: Final = (100, 600)
_NO_MODEL: Final = "(vendor default)"
_CAVEAT: Final = (
    "note: token counts are a heuristic (prompt character length / 4, with a wide allowance for "
    "statically-unknown interpolated values) — not a real tokenizer. Per-model pricing is a small "
    "illustrative table of approximate rates, not live vendor pricing."
)

Range = tuple[float, float]


def make_plan(
    merged: MergedProgram, name: str, arguments: Mapping[str, str], providers: Sequence[str]
) -> list[PlanRow]:
    """The rows of the plan for a conversation of the entry file.

    Raises:
        CommandFailure: the entry file declares no such conversation.
        ConfigurationError: there is no provider, or one named is unknown.
    """
    node = merged.conversations.get(name)
    if node is None or merged.homes[name].path != merged.entry:
        raise CommandFailure(f"no conversation named `{name}` in {merged.typed}")
    entries = provider_entries(merged.manifest, merged.providers, merged.typed)
    registry = offline_registry(selected(entries, providers), merged.typed)
    return [plan_row(call, registry) for call in planned_calls(merged, node, arguments)]


def offline_registry(entries: Mapping[str, ProviderEntry], file: str) -> Registry:
    """Providers that can be chosen but never called; nothing they need is looked up.

    Raises:
        ConfigurationError: there is no entry.
    """
    if not entries:
        raise no_provider(file)
    return Registry(
        [
            Entry(
                name,
                _Unreachable(entry.vendor, capability, configured.model),
                Instrument(name, entry.vendor, configured.model),
            )
            for name, entry in sorted(entries.items())
            for capability, configured in sorted(entry.capabilities.items())
        ]
    )


class _Unreachable(Struct, frozen=True):
    vendor: str
    capability: str
    model: str | None
    mode: Mode = Mode.MOCK

    def supports(self, capability: str) -> bool:
        return capability == self.capability

    def call(self, request: ProviderRequest) -> Reply:
        raise RuntimeFailure("a plan calls nobody", "provider_failed")


class PlanRow(Struct, frozen=True):
    """One call site; ``cost`` is None when its model has no price."""

    call: PlannedCall
    entry: Entry | None
    error: str = ""
    tokens: tuple[int, int] = (0, 0)
    cost: Range | None = None


def plan_row(call: PlannedCall, registry: Registry) -> PlanRow:
    """Resolve and price one call."""
    try:
        entry = registry.resolve(call.capability, call.provider)
    except RuntimeFailure as failure:
        return PlanRow(call, None, failure.text)
    if call.capability in PRICED_PER_CALL:
        return PlanRow(call, entry, cost=_price_of_call(entry))
    prompt = tuple(-(-count // 4) for count in call.characters)
    reply = _REPLY_TOKENS.get(call.capability, _USUAL_REPLY_TOKENS)
    tokens = (prompt[0] + reply[0], prompt[1] + reply[1])
    prices = (0.0, 0.0) if entry.provider.vendor == "mock" else token_prices(_model(entry))
    if prices is None:
        return PlanRow(call, entry, tokens=tokens)
    low, high = (prompt[end] / 1000 * prices[0] + reply[end] / 1000 * prices[1] for end in (0, 1))
    return PlanRow(call, entry, tokens=tokens, cost=(low, high))


def _price_of_call(entry: Entry) -> Range | None:
    price = 0.0 if entry.provider.vendor == "mock" else call_price(_model(entry))
    return None if price is None else (price, price)


def _model(entry: Entry) -> str:
    return entry.provider.model or _NO_MODEL


def write_plan(name: str, rows: list[PlanRow], stdout: TextIO) -> int:
    """Print the plan; 1 when a call cannot be resolved, else 0."""
    stdout.write(f"plan for `{name}` — static analysis only, nothing was called\n\n")
    if not rows:
        stdout.write("(no `ask`/`judge` capability calls found in this conversation)\n")
        return 0
    stdout.write(_ROW.format(*_HEADER))
    for number, row in enumerate(rows, 1):
        stdout.write(_ROW.format(number, *_cells(row)))
    stdout.write(f"\n{_total(rows)}\n\n{_CAVEAT}\n")
    return 1 if any(row.entry is None for row in rows) else 0


def _cells(row: PlanRow) -> tuple[str, str, str, str, str]:
    call, entry = row.call, row.entry
    what = f"judge {call.judge}" if call.judge is not None else call.capability
    if entry is None:
        return what, "ERROR", row.error, "-", "-"
    return (
        what,
        f"{entry.name} ({entry.provider.vendor})",
        _model(entry),
        f"{row.tokens[0]}-{row.tokens[1]}",
        "n/a (unpriced model)" if row.cost is None else _dollars(row.cost),
    )


def _dollars(cost: Range) -> str:
    return f"${cost[0]:.6f}-${cost[1]:.6f}"


def _total(rows: list[PlanRow]) -> str:
    costs = [row.cost for row in rows if row.cost is not None]
    total = _dollars((sum(low for low, _ in costs), sum(high for _, high in costs)))
    unpriced = any(row.cost is None and row.entry is not None for row in rows)
    return (
        f"naive total across {len(rows)} call site(s) (a straight sum — does not account for "
        "`retry`/`for`/`while` executing a call more or fewer times, or mutually-exclusive "
        f"`match` arms): {total}{' (excludes unpriced row(s) above)' if unpriced else ''}"
    )
