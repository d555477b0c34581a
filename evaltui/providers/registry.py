"""Who answers which call: building providers and choosing among them (runtime spec 3.5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

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
from evaltui.ulx.manifest import ProviderEntry

if TYPE_CHECKING:
    from evaltui.providers.http_provider import Surroundings

Factory: TypeAlias = "Callable[[ProviderEntry, str], Provider]"
"""Builds the provider of one capability of an entry; raises ``ConfigurationError``."""

MOCK_NAME: Final = "mock"


class Entry(Struct, frozen=True):
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
    around: Callable[[], Surroundings] | None = None,
    replay: bool = False,
) -> Registry:
    """Build every capability of every entry, used or not, by name.

    ``factories`` gives vendors beside ``mock`` and the live ones. Each live one asks for what is
    ``around`` it, without which it sends nothing, and needs keys, unless it is only part of a
    ``replay``. ``file`` is the program as typed.

    Raises:
        ConfigurationError: there is no entry, or one cannot be built.
    """
    if not entries:
        raise no_provider(file)
    builder = _Builder(factories, environment, around, replay)
    return Registry(
        [
            builder.build(entries[name], capability)
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


class _Builder(Struct, frozen=True):
    factories: Mapping[str, Factory]
    environment: Mapping[str, str]
    around: Callable[[], Surroundings] | None
    replay: bool

    def build(self, entry: ProviderEntry, capability: str) -> Entry:
        """The registry's entry for one capability.

        Raises:
            ConfigurationError: the vendor is unknown, or the entry lacks something.
        """
        try:
            provider, instrument = self._provider(entry, capability)
        except ConfigurationError as error:
            raise ConfigurationError(
                f"provider `{entry.name}` capability `{capability}` (vendor `{entry.vendor}`): "
                f"{error.message}",
                place=error.place,
                hint=error.hint,
            ) from error
        return Entry(entry.name, provider, instrument)

    def _provider(self, entry: ProviderEntry, capability: str) -> tuple[Provider, Instrument]:
        configured = entry.capabilities[capability]
        instrument = Instrument(
            entry.name, entry.vendor, configured.model, entry.base_url, configured.params
        )
        if entry.vendor in self.factories:
            return self.factories[entry.vendor](entry, capability), instrument
        if entry.vendor == MOCK_NAME:
            return MockProvider(frozenset((capability,))), instrument
        return self._live(entry, capability)

    def _live(self, entry: ProviderEntry, capability: str) -> tuple[Provider, Instrument]:
        from evaltui.providers.requirements import check_entry, instrument_of
        from evaltui.providers.vendors import VENDORS

        if entry.vendor not in VENDORS:
            raise ConfigurationError(
                f"unknown provider vendor `{entry.vendor}`", hint=_nearest(entry.vendor, VENDORS)
            )
        instrument = instrument_of(entry, capability, self.environment)
        if not self.replay:
            check_entry(entry, capability, self.environment)
        if self.replay or self.around is None:
            return NeverSent(entry.vendor, capability, instrument.model), instrument
        from evaltui.providers.live import live_provider

        return live_provider(entry, capability, self.environment, self.around()), instrument


def _nearest(vendor: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = sorted([*known, MOCK_NAME, "scripted"])
    close = get_close_matches(vendor, names, 1)
    return f"did you mean `{close[0]}`?" if close else f"known: {', '.join(names)}"


class NeverSent:
    """Stands for a live provider that is not to be reached: its answers come from elsewhere."""

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
            f"vendor `{self.vendor}` is not to be reached here",
            "run it live",
            stop_run=True,
        )
