"""What each configured provider resolves to, and whether it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from evaltui.errors import ConfigurationError
from evaltui.project import Limits, Policy
from evaltui.providers.artifacts import ArtifactFolders
from evaltui.providers.base import ProviderFailure
from evaltui.providers.http_provider import HttpProvider, Surroundings
from evaltui.providers.live import live_provider
from evaltui.providers.network import Network
from evaltui.providers.requirements import check_entry, instrument_of, key_variable
from evaltui.providers.rules import NO_LIMITS
from evaltui.providers.trust import suspect_pair, trusted
from evaltui.providers.vendors import VENDORS
from evaltui.redaction import SecretScanner
from evaltui.ulx.manifest import ProviderEntry

READY: Final = "ready"
CANNED: Final = ("mock", "scripted")
_CHECK_S: Final = 20.0


class Configured(Struct, frozen=True):
    """An entry, the file that configures it, and the variables in force there."""

    entry: ProviderEntry
    file: Path
    environment: Mapping[str, str]


class Listed(Struct, frozen=True):
    """One capability of a provider. ``key`` says where the key is, never what it is.

    ``state`` is ``ready``, or why the provider cannot be used; ``check`` what it answered.
    """

    provider: str
    capability: str
    vendor: str
    model: str | None
    base_url: str | None
    key_variable: str | None
    key: str
    limits: str
    file: str
    state: str = READY
    check: str | None = None


def listed(
    found: Iterable[Configured], policy: Policy, own: Mapping[str, str]
) -> list[tuple[Listed, Configured]]:
    """Every capability of every entry, by provider and capability; ``own`` is the environment."""
    pairs = [
        (_listed(one, capability, policy, own), one)
        for one in found
        for capability in sorted(one.entry.capabilities)
    ]
    return sorted(pairs, key=lambda pair: (pair[0].provider, pair[0].capability, pair[0].file))


def _listed(one: Configured, capability: str, policy: Policy, own: Mapping[str, str]) -> Listed:
    entry = one.entry
    limits = policy.limits.get(entry.name, NO_LIMITS)
    row = Listed(
        entry.name,
        capability,
        entry.vendor,
        entry.capabilities[capability].model,
        entry.base_url,
        key_variable(entry),
        _key_place(key_variable(entry), one, own),
        _limits_text(limits),
        str(one.file),
    )
    if entry.vendor in CANNED:
        return row
    if entry.vendor not in VENDORS:
        return replace(row, state=f"unknown provider vendor `{entry.vendor}`")
    instrument = instrument_of(entry, capability, one.environment)
    row = replace(row, model=instrument.model, base_url=instrument.base_url)
    return replace(row, state=_state(one, capability, own))


def _key_place(variable: str | None, one: Configured, own: Mapping[str, str]) -> str:
    if variable is None:
        return "not needed"
    if variable in own:
        return "in the environment" if own[variable] else "empty"
    return "in .env" if one.environment.get(variable) else "missing"


def _limits_text(limits: Limits) -> str:
    named = {
        "at once": limits.concurrency,
        "requests/min": limits.requests_per_minute,
        "tokens/min": limits.tokens_per_minute,
        "s a try": limits.timeout_s,
        "tries": limits.attempts,
    }
    texts = [f"{value:g} {name}" for name, value in named.items() if value is not None]
    return ", ".join([*texts, *([] if limits.verify_tls else ["TLS NOT VERIFIED"])])


def _state(one: Configured, capability: str, own: Mapping[str, str]) -> str:
    entry = one.entry
    try:
        check_entry(entry, capability, one.environment)
        suspect = suspect_pair(entry, own, one.environment)
        if suspect is not None and not any(pair.covers(*suspect) for pair in trusted(own)):
            host, _, variable = suspect
            return f"not allowed: evaltui trust {host} --env {variable}"
        _provider(one, capability, NO_LIMITS)
    except ConfigurationError as error:
        return error.message
    return READY


def _provider(one: Configured, capability: str, limits: Limits) -> tuple[HttpProvider, Network]:
    network = Network(limits={one.entry.name: limits}, scanner=SecretScanner((), one.environment))
    around = Surroundings(network, ArtifactFolders())
    return live_provider(one.entry, capability, one.environment, around), network


async def checked(rows: Sequence[tuple[Listed, Configured]], policy: Policy) -> list[Listed]:
    """The rows with what each live provider answered to one cheap request."""
    import asyncio

    return list(await asyncio.gather(*(_checked(row, one, policy) for row, one in rows)))


async def _checked(row: Listed, one: Configured, policy: Policy) -> Listed:
    if row.state != READY:
        return row
    if row.vendor in CANNED:
        return replace(row, check="canned")
    limits = replace(policy.limits.get(row.provider, NO_LIMITS), attempts=1)
    provider, network = _provider(one, row.capability, limits)
    try:
        took_ms = await provider.check(_CHECK_S)
    except ProviderFailure as failure:
        text = f"{failure.kind}: {failure.message} ({failure.next_action})"
        return replace(row, check=text, state="failed")
    finally:
        await network.close()
    return replace(row, check=f"answered in {took_ms:.0f} ms")
