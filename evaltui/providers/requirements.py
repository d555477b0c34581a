"""What an entry of a live vendor needs, and what instrument it is; nothing is opened here."""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.errors import ConfigurationError, MissingKey
from evaltui.providers.base import Instrument
from evaltui.providers.vendors import VENDORS
from evaltui.providers.vendors.wire import Vendor
from evaltui.ulx.manifest import ProviderEntry


def check_entry(entry: ProviderEntry, capability: str, environment: Mapping[str, str]) -> None:
    """Check that an entry of an HTTP vendor has what it needs.

    Raises:
        ConfigurationError: a key variable, base URL or model is missing.
    """
    vendor = VENDORS[entry.vendor]
    if vendor.needs_base_url and entry.base_url is None:
        raise _invalid(f"vendor `{entry.vendor}` requires `base_url`")
    if vendor.needs_model and entry.capabilities[capability].model is None:
        raise _invalid(f"vendor `{entry.vendor}` requires `model`")
    key = key_variable(entry)
    if key is not None and key not in environment:
        raise MissingKey(f"environment variable `{key}` is not set")


def key_variable(entry: ProviderEntry) -> str | None:
    """The environment variable that holds the key of an entry, if it uses one."""
    vendor = VENDORS.get(entry.vendor)
    if vendor is None or vendor.auth is None:
        return None
    return entry.api_key_env or vendor.key_variable


def base_url(entry: ProviderEntry, environment: Mapping[str, str]) -> str | None:
    """Where an entry sends to: its own setting, the user's variable, the vendor's address."""
    vendor = VENDORS.get(entry.vendor)
    if entry.base_url is not None or vendor is None:
        return entry.base_url
    variable = vendor.base_url_variable
    return (environment.get(variable) if variable else None) or vendor.base_url


def instrument_of(
    entry: ProviderEntry, capability: str, environment: Mapping[str, str]
) -> Instrument:
    """The instrument that an entry of a live vendor is, whether it is asked or replayed."""
    vendor, configured = VENDORS[entry.vendor], entry.capabilities[capability]
    return Instrument(
        entry.name,
        entry.vendor,
        configured.model if configured.model is not None else vendor.model or None,
        base_url(entry, environment),
        configured.params,
        vendor.contract,
    )


def served(vendor: Vendor) -> list[str]:
    """The capabilities of a vendor."""
    return sorted({*vendor.exchanges, *(("judge",) if "chat" in vendor.exchanges else ())})


def _invalid(text: str) -> ConfigurationError:
    return ConfigurationError(f"invalid provider config: {text}")
