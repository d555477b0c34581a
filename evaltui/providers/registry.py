"""Who answers which call: building providers and choosing among them (runtime spec 3.5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.rendering import quote_list
from evaltui.errors import ConfigurationError
from evaltui.models import FailureClass, Mode
from evaltui.providers.base import (
    Instrument,
    Provider,
    ProviderFailure,
    ProviderRequest,
    Reply,
)
from evaltui.providers.mock import MockProvider
from evaltui.providers.vendors import VENDORS, check_entry
from evaltui.ulx.manifest import ProviderEntry

Factory: TypeAlias = "Callable[[ProviderEntry, str], Provider]"
"""Builds the provider of one capability of an entry; raises ``ConfigurationError``."""

MOCK_NAME: Final = "mock"


@dataclass(frozen=True, slots=True)
class Entry:
    """A provider under its configured name."""

    name: str
    provider: Provider
    instrument: Instrument


class Registry:
    """Providers in order; the same name may stand for several capabilities."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._chosen: dict[tuple[str, str | None], Entry] = {}

    def resolve(self, capability: str, name: str | None = None) -> Entry:
        """The entry that answers a call, pinned to ``name`` or not.

        Raises:
            RuntimeFailure: none, or several, could answer.
        """
        known = self._chosen.get((capability, name))
        if known is None:
            known = self._choose(capability, name)
            self._chosen[capability, name] = known
        return known

    def _choose(self, capability: str, name: str | None) -> Entry:
        able = [entry for entry in self.entries if entry.provider.supports(capability)]
        if name is not None:
            return self._pinned(able, capability, name)
        if not able:
            raise _no_choice(f"no provider registered supports capability `{capability}`")
        if len(able) > 1:
            names = quote_list(entry.name for entry in able)
            raise _no_choice(
                f"capability `{capability}` is served by multiple providers {names} — "
                'add `provider: "name"` to this call, or pass --provider name on the CLI'
            )
        return able[0]

    def _pinned(self, able: Sequence[Entry], capability: str, name: str) -> Entry:
        for entry in able:
            if entry.name == name:
                return entry
        if all(entry.name != name for entry in self.entries):
            raise _no_choice(f"no provider named `{name}` is registered")
        raise _no_choice(f"provider `{name}` does not support capability `{capability}`")


def _no_choice(text: str) -> RuntimeFailure:
    return RuntimeFailure(text, "provider_choice")


def mock_registry(declared: Iterable[str]) -> Registry:
    """A mock under every declared name, or under ``mock`` when there is none."""
    names = sorted(declared) or [MOCK_NAME]
    return Registry([_mock_entry(name) for name in names])


def _mock_entry(name: str) -> Entry:
    return Entry(name, MockProvider(), Instrument(name, MOCK_NAME, None))


def build_registry(
    entries: Mapping[str, ProviderEntry],
    factories: Mapping[str, Factory],
    environment: Mapping[str, str],
    *,
    file: str,
    refuse_unbuilt: bool = False,
) -> Registry:
    """Build every capability of every entry, used or not, by name.

    ``factories`` gives vendors beside ``mock``; an HTTP vendor without one is checked and then
    fails when called, or at once with ``refuse_unbuilt``. ``file`` is the program as typed.

    Raises:
        ConfigurationError: there is no entry, or one cannot be built.
    """
    if not entries:
        raise no_provider(file)
    table = {**_built_in(environment, refuse_unbuilt=refuse_unbuilt), **factories}
    return Registry(
        [
            _built(entries[name], capability, table)
            for name in sorted(entries)
            for capability in sorted(entries[name].capabilities)
        ]
    )


def no_provider(file: str) -> ConfigurationError:
    """Nobody can answer the calls of the program ``file``, a path as typed."""
    return ConfigurationError(
        "no provider is configured (no ulexite.toml [providers] entries, no provider blocks in "
        f"{file} or its imports) — pass --mock to run against the deterministic mock provider, "
        'or configure a real one (see README\'s "Configuring providers")'
    )


def _built(entry: ProviderEntry, capability: str, table: Mapping[str, Factory]) -> Entry:
    try:
        factory = table.get(entry.vendor)
        if factory is None:
            raise ConfigurationError(f"unknown provider vendor `{entry.vendor}`")
        provider = factory(entry, capability)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"provider `{entry.name}` capability `{capability}` (vendor `{entry.vendor}`): "
            f"{error.message}",
            place=error.place,
            hint=error.hint,
        ) from error
    return Entry(entry.name, provider, _instrument(entry, capability))


def _instrument(entry: ProviderEntry, capability: str) -> Instrument:
    configured = entry.capabilities[capability]
    vendor = VENDORS.get(entry.vendor)
    base_url = entry.base_url or (vendor.base_url if vendor else None)
    return Instrument(entry.name, entry.vendor, configured.model, base_url, configured.params)


def _built_in(environment: Mapping[str, str], *, refuse_unbuilt: bool) -> dict[str, Factory]:
    def unbuilt(entry: ProviderEntry, capability: str) -> Provider:
        check_entry(entry, capability, environment)
        if refuse_unbuilt:
            raise ConfigurationError(f"vendor `{entry.vendor}` is not available in this version")
        return UnbuiltProvider(entry.vendor, capability, entry.capabilities[capability].model)

    def mock(entry: ProviderEntry, capability: str) -> Provider:
        return MockProvider(frozenset((capability,)))

    return {MOCK_NAME: mock, **dict.fromkeys(VENDORS, unbuilt)}


class UnbuiltProvider:
    """Stands for a vendor that this version cannot reach; cached answers still name it."""

    mode: Final = Mode.LIVE

    def __init__(self, vendor: str, capability: str, model: str | None) -> None:
        self.vendor = vendor
        self.model = model
        self._capability = capability

    def supports(self, capability: str) -> bool:
        """Whether the entry is for ``capability``."""
        return capability == self._capability

    def call(self, request: ProviderRequest) -> Reply | Awaitable[Reply]:
        """Fail.

        Raises:
            ProviderFailure: always.
        """
        raise ProviderFailure(
            FailureClass.INFRASTRUCTURE,
            "unavailable",
            f"vendor `{self.vendor}` is not available in this version",
            "use --mock, or another vendor",
            stop_run=True,
        )
