"""Which provider entries a program has: its own declarations over those of the manifest (3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from evaltui.engine.rendering import quote_list
from evaltui.errors import ConfigurationError
from evaltui.ulx import tree
from evaltui.ulx.manifest import Capability, Manifest, ProviderEntry

_SETTINGS: Final = ("vendor", "base_url", "api_key_env", "api_version")


def provider_entries(
    manifest: Manifest | None, declared: Mapping[str, tree.Provider], file: str
) -> dict[str, ProviderEntry]:
    """All entries by name; ``file`` is the program as typed, for messages.

    Raises:
        ConfigurationError: a name is declared twice, or ``from`` names no entry.
    """
    entries = dict(manifest.providers) if manifest is not None else {}
    for name in sorted(declared):
        node = declared[name]
        if name in entries and node.source != name:
            raise ConfigurationError(
                f"provider `{name}` is declared both in ulexite.toml and in {file} — rename one"
            )
        entries[name] = _entry(name, node, manifest, file)
    return dict(sorted(entries.items()))


def _entry(name: str, node: tree.Provider, manifest: Manifest | None, file: str) -> ProviderEntry:
    settings: dict[str, str] = {}
    capabilities: dict[str, Capability] = {}
    for field, value in node.fields:
        if field.text in _SETTINGS:
            settings[field.text] = value.value if isinstance(value, tree.StringLiteral) else ""
        else:
            capabilities[field.text] = _capability(value)
    start = _start(name, node, manifest, file)
    return replace(
        start, **settings, capabilities=dict(sorted((start.capabilities | capabilities).items()))
    )


def _start(name: str, node: tree.Provider, manifest: Manifest | None, file: str) -> ProviderEntry:
    if node.source is None:
        return ProviderEntry(name, "", None, None, None, {})
    problem = f'provider `{name}` has `from "{node.source}"`, but '
    if manifest is None:
        raise ConfigurationError(f"{problem}no ulexite.toml exists next to {file}")
    if node.source not in manifest.providers:
        raise ConfigurationError(f"{problem}ulexite.toml has no `[providers.{node.source}]` entry")
    return replace(manifest.providers[node.source], name=name)


def _capability(value: tree.Expr) -> Capability:
    if isinstance(value, tree.StringLiteral):
        return Capability(value.value)
    model: str | None = None
    params: dict[str, object] = {}
    for field, inner in value.fields if isinstance(value, tree.RecordLiteral) else ():
        plain = _plain(inner)
        if field.text == "model" and isinstance(plain, str):
            model = plain
        else:
            params[field.text] = plain
    return Capability(model, params)


def _plain(value: tree.Expr) -> object:
    if isinstance(value, tree.StringLiteral | tree.IntLiteral | tree.FloatLiteral):
        return value.value
    return None


def selected(
    entries: Mapping[str, ProviderEntry], names: Iterable[str]
) -> dict[str, ProviderEntry]:
    """Only the entries named; all of them when none is.

    Raises:
        ConfigurationError: a name is unknown.
    """
    wanted = set(names)
    unknown = sorted(wanted - entries.keys())
    if unknown:
        raise ConfigurationError(
            f"--provider named unknown provider(s): {quote_list(unknown)} "
            f"(known: {quote_list(sorted(entries))})"
        )
    return {name: entry for name, entry in entries.items() if not wanted or name in wanted}
