"""Choosing who answers, and building providers from entries."""

from __future__ import annotations

import pytest

from evaltui.engine.failures import RuntimeFailure
from evaltui.errors import ConfigurationError
from evaltui.providers.base import Provider
from evaltui.providers.mock import MockProvider
from evaltui.providers.registry import Registry, build_registry, mock_registry
from evaltui.ulx.manifest import Capability, ProviderEntry


def entry(name: str, vendor: str, *capabilities: str, **settings: str) -> ProviderEntry:
    values = {key: settings.get(key) for key in ("base_url", "api_key_env", "api_version")}
    models = {capability: Capability("m") for capability in capabilities}
    return ProviderEntry(name, vendor, **values, capabilities=models)


def build(*entries: ProviderEntry) -> Registry:
    return build_registry({one.name: one for one in entries}, {}, {}, file="x.ulx")


def problem(registry: Registry, capability: str, name: str | None = None) -> str:
    with pytest.raises(RuntimeFailure) as caught:
        registry.resolve(capability, name)
    assert caught.value.kind == "provider_choice"
    return caught.value.text


def test_the_only_able_provider_answers() -> None:
    registry = build(entry("a", "mock", "chat"), entry("b", "mock", "judge", "embed"))
    assert registry.resolve("chat").name == "a"
    assert registry.resolve("judge").name == "b"
    assert registry.resolve("judge", "b").name == "b"


def test_why_nobody_answers() -> None:
    registry = build(entry("b", "mock", "chat"), entry("a", "mock", "chat", "judge"))
    assert problem(registry, "speak") == "no provider registered supports capability `speak`"
    assert problem(registry, "chat") == (
        'capability `chat` is served by multiple providers ["a", "b"] — add `provider: "name"` '
        "to this call, or pass --provider name on the CLI"
    )
    assert problem(registry, "chat", "c") == "no provider named `c` is registered"
    assert problem(registry, "judge", "b") == "provider `b` does not support capability `judge`"


def test_mocks_stand_for_declared_providers_or_for_all() -> None:
    assert mock_registry([]).resolve("judge").name == "mock"
    assert [one.name for one in mock_registry(["z", "a"]).entries] == ["a", "z"]


def test_instruments_name_what_was_asked_for() -> None:
    (built,) = build(entry("o", "ollama", "chat")).entries
    assert (built.instrument.provider, built.instrument.vendor) == ("o", "ollama")
    assert (built.instrument.model, built.instrument.base_url) == ("m", "http://localhost:11434")


def test_an_unknown_vendor_is_named_with_its_entry() -> None:
    with pytest.raises(ConfigurationError) as caught:
        build(entry("p", "acme", "chat"))
    assert caught.value.message == (
        "provider `p` capability `chat` (vendor `acme`): unknown provider vendor `acme`"
    )


def test_without_entries_the_way_out_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"no provider blocks in x\.ulx .* pass --mock"):
        build()


def test_vendors_can_be_added() -> None:
    def factory(one: ProviderEntry, capability: str) -> Provider:
        return MockProvider(frozenset((capability,)))

    entries = {"p": entry("p", "own", "chat")}
    registry = build_registry(entries, {"own": factory}, {}, file="x.ulx")
    assert registry.resolve("chat").instrument.vendor == "own"
