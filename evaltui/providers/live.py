"""From a configured entry to a provider that is reached over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from evaltui.errors import ConfigurationError
from evaltui.providers.http_provider import HttpProvider, Settings, Surroundings
from evaltui.providers.requirements import (
    check_entry,
    instrument_of,
    key_variable,
    served,
)
from evaltui.providers.vendors import VENDORS
from evaltui.ulx.manifest import ProviderEntry


def live_provider(
    entry: ProviderEntry, capability: str, environment: Mapping[str, str], around: Surroundings
) -> HttpProvider:
    """The provider of one capability of an entry.

    Raises:
        ConfigurationError: the entry lacks something, or the vendor does not serve the capability.
    """
    check_entry(entry, capability, environment)
    vendor, instrument = VENDORS[entry.vendor], instrument_of(entry, capability, environment)
    exchange = vendor.exchange(capability)
    if exchange is None:
        raise ConfigurationError(
            f"vendor `{vendor.name}` does not support capability `{capability}`",
            hint=f"it serves {', '.join(served(vendor))}",
        )
    variable = key_variable(entry)
    key = environment[variable] if variable is not None else None
    if variable is not None and key is not None:
        around.network.scanner.learn_key(variable, key)
    _refuse_key(instrument.base_url or "", around)
    settings = Settings(
        entry.name,
        capability,
        _usable(instrument.base_url or ""),
        instrument.model or "",
        instrument.params,
        entry.api_version,
        key,
    )
    return HttpProvider(vendor, exchange, settings, around)


def _refuse_key(url: str, around: Surroundings) -> None:
    """Addresses are shown and stored, so that a key must not be part of one."""
    name = around.network.scanner.find_key(url)
    if name is not None:
        raise ConfigurationError(
            f"invalid provider config: `base_url` holds the value of {name}",
            hint="name the variable in `api_key_env` instead",
        )


def _usable(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            "invalid provider config: `base_url` is not a plain http or https address",
            hint="write it as https://host/path, without user, password or query",
        )
    return url
