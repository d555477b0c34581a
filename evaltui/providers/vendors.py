"""The vendors that exist, and what an entry of each needs (runtime specification 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evaltui.errors import ConfigurationError
from evaltui.ulx.manifest import ProviderEntry


@dataclass(frozen=True, slots=True)
class Vendor:
    """What an entry needs: a key variable by default, a base URL, a model."""

    key_variable: str | None = None
    base_url: str | None = None
    needs_base_url: bool = False
    needs_model: bool = False


VENDORS: Final[dict[str, Vendor]] = {
    "openai": Vendor("OPENAI_API_KEY", "https://api.openai.com/v1"),
    "groq": Vendor("GROQ_API_KEY", "https://api.groq.com/openai/v1"),
    "openai_compatible": Vendor(needs_base_url=True),
    "azure_openai": Vendor("AZURE_OPENAI_API_KEY", needs_base_url=True, needs_model=True),
    "anthropic": Vendor("ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"),
    "gemini": Vendor("GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta"),
    "cohere": Vendor("COHERE_API_KEY", "https://api.cohere.com"),
    "ollama": Vendor(base_url="http://localhost:11434"),
}
"""Vendors reached over HTTP."""


def check_entry(entry: ProviderEntry, capability: str, environment: Mapping[str, str]) -> None:
    """Check that an entry of an HTTP vendor has what it needs.

    Raises:
        ConfigurationError: a key variable, base URL or model is missing.
    """
    vendor = VENDORS[entry.vendor]
    if vendor.needs_base_url and entry.base_url is None:
        raise _invalid(entry, "base_url")
    if vendor.needs_model and entry.capabilities[capability].model is None:
        raise _invalid(entry, "model")
    key = key_variable(entry)
    if key is not None and key not in environment:
        raise ConfigurationError(f"environment variable `{key}` is not set")


def key_variable(entry: ProviderEntry) -> str | None:
    """The environment variable that holds the key of an entry, if it uses one."""
    vendor = VENDORS.get(entry.vendor)
    if vendor is None or entry.vendor == "ollama":
        return None
    return entry.api_key_env or vendor.key_variable


def _invalid(entry: ProviderEntry, setting: str) -> ConfigurationError:
    return ConfigurationError(
        f"invalid provider config: vendor `{entry.vendor}` requires `{setting}`"
    )
