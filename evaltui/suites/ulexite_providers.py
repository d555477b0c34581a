"""Who answers the calls of a Ulexite suite under ``evaltui run``.

Entries come from the suite's declarations, the ``ulexite.toml`` beside it and the project's
``evaltui.toml``. Under ``--mock`` every entry is a mock of its own capabilities, and what no entry
serves is answered by one more mock.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.instruments import Measure, combined
from evaltui.errors import ConfigurationError, MissingKey
from evaltui.models import Mode
from evaltui.providers.base import Instrument
from evaltui.providers.dotenv import load_environment
from evaltui.providers.entries import provider_entries, selected
from evaltui.providers.mock import CAPABILITIES, MadeUp, MockProvider
from evaltui.providers.registry import (
    MOCK_NAME,
    Entry,
    Factory,
    Registry,
    build_registry,
)
from evaltui.suites.base import LoadOptions
from evaltui.suites.ulexite_demands import demands
from evaltui.ulx import tree
from evaltui.ulx.manifest import ProviderEntry
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.tree_walk import Node, parts

if TYPE_CHECKING:
    from evaltui.providers.http_provider import Surroundings
    from evaltui.providers.scripted import ScriptedProvider

_SCRIPTED: Final = "scripted"


class SuiteProviders(Struct, frozen=True):
    """A registry and what it says about where answers come from."""

    registry: Registry
    mode: Mode
    instrument: str
    asked: str


def set_up_providers(merged: MergedProgram, path: Path, options: LoadOptions) -> SuiteProviders:
    """Build the providers of a suite.

    Raises:
        ConfigurationError: one cannot be built, or the program needs one and there is none.
    """
    entries = selected(
        provider_entries(merged.manifest, merged.providers, path.name), options.providers
    )
    if options.mock:
        registry = _mocks(entries)
    elif not entries:
        if _asks_anybody(merged):
            raise ConfigurationError(
                "no provider is configured",
                place=str(path),
                hint="try --mock, or add [providers.NAME] to evaltui.toml",
            )
        registry = Registry(())
    else:
        registry = _real(entries, merged, path, options)
    _refuse_unserved(registry, merged, path, options)
    return _described(registry, options)


def _refuse_unserved(
    registry: Registry, merged: MergedProgram, path: Path, options: LoadOptions
) -> None:
    """Refuse a suite of which a call is already known to find no provider, or several.

    Raises:
        ConfigurationError: there is such a call.
    """
    chosen = [name for name in merged.benchmarks if name in (options.benchmarks or (name,))]
    for capability, pinned in sorted(demands(merged, chosen), key=str):
        try:
            registry.resolve(capability, pinned)
        except RuntimeFailure as failure:
            raise ConfigurationError(
                failure.text, place=str(path), hint="see `evaltui providers`"
            ) from failure


def _mocks(entries: Mapping[str, ProviderEntry]) -> Registry:
    mocks = [_mock(name, frozenset(entry.capabilities)) for name, entry in entries.items()]
    served = {capability for entry in entries.values() for capability in entry.capabilities}
    rest = frozenset(CAPABILITIES - served)
    return Registry([*mocks, _mock(MOCK_NAME, rest)] if rest else mocks)


def _mock(name: str, capabilities: frozenset[str]) -> Entry:
    return Entry(name, MockProvider(capabilities), Instrument(name, MOCK_NAME, None))


def _real(
    entries: Mapping[str, ProviderEntry], merged: MergedProgram, path: Path, options: LoadOptions
) -> Registry:
    def scripted(entry: ProviderEntry, capability: str) -> ScriptedProvider:
        from evaltui.providers.scripted import scripted_provider

        configured = entry.capabilities[capability]
        folder = _home(entry.name, merged, path, options)
        return scripted_provider(
            capability, configured.model, configured.params, folder, options.root
        )

    factories: dict[str, Factory] = {_SCRIPTED: scripted}
    environment = load_environment(path.parent, os.environ)
    if path.parent != options.root:
        environment = load_environment(options.root, environment)
    options.network.scanner.learn(environment)
    try:
        _refuse_untrusted(entries, environment, options)
        registry = build_registry(
            entries,
            factories,
            environment,
            file=path.name,
            around=partial(_around, path, options),
            replay=options.replay or options.dry_run,
        )
    except ConfigurationError as error:
        raise _looked_for(error, path, options) from error
    # What a scripted answer says is part of its key, not of the instrument that it plays.
    kept = [_without_answers(entry) for entry in registry.entries]
    if options.dry_run:
        kept = [replace(entry, provider=MadeUp(entry.provider)) for entry in kept]
    return Registry(kept)


def _refuse_untrusted(
    entries: Mapping[str, ProviderEntry], environment: Mapping[str, str], options: LoadOptions
) -> None:
    if (
        options.replay
        or options.dry_run
        or all(entry.vendor in (_SCRIPTED, MOCK_NAME) for entry in entries.values())
    ):
        return
    from evaltui.providers.trust import refuse_untrusted

    refuse_untrusted(entries.values(), os.environ, environment)


def _around(path: Path, options: LoadOptions) -> Surroundings:
    """What live providers need."""
    from evaltui.providers.artifacts import ArtifactFolders
    from evaltui.providers.http_provider import Surroundings

    kept = ".evaltui/artifacts"
    folders = ArtifactFolders(path.parent, options.root, options.root / kept, kept)
    return Surroundings(options.network, folders)


def _looked_for(error: ConfigurationError, path: Path, options: LoadOptions) -> ConfigurationError:
    """The error with its file, and the places in which a missing key was looked for."""
    if not isinstance(error.__cause__, MissingKey):
        return ConfigurationError(error.message, place=error.place or str(path), hint=error.hint)
    files = dict.fromkeys((path.parent / ".env", options.root / ".env"))
    places = " and ".join(str(file) for file in files)
    hint = f"looked in the environment and in {places}; --mock needs no key"
    return ConfigurationError(error.message, place=str(path), hint=hint)


def _without_answers(entry: Entry) -> Entry:
    instrument = entry.instrument
    if instrument.vendor != _SCRIPTED:
        return entry
    hidden = ("answers", "when_exhausted")
    params = {name: value for name, value in instrument.params.items() if name not in hidden}
    return replace(entry, instrument=replace(instrument, params=params))


def _home(name: str, merged: MergedProgram, path: Path, options: LoadOptions) -> Path:
    """The folder of the file that configures an entry, which its paths are relative to."""
    node = merged.providers.get(name)
    source = node.source if node is not None else name
    return options.root if source in options.policy.providers else path.parent


def _described(registry: Registry, options: LoadOptions) -> SuiteProviders:
    modes = {entry.provider.mode for entry in registry.entries} or {Mode.LIVE}
    canned = modes - {Mode.LIVE}
    members = [
        Measure(capability, entry.instrument).member(None, None)
        for entry in registry.entries
        for capability in sorted(CAPABILITIES)
        if entry.provider.supports(capability)
    ]
    mode = Mode.MOCK if options.mock else min(canned, default=Mode.LIVE)
    return SuiteProviders(registry, mode, _for_people(registry.entries), combined(members) or "[]")


def _for_people(entries: Iterable[Entry]) -> str:
    """``Writer (scripted writer-1, judge-1)``; one mock is just ``mock``."""
    models: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        named = models.setdefault((entry.name, entry.instrument.vendor), [])
        if entry.instrument.model is not None and entry.instrument.model not in named:
            named.append(entry.instrument.model)
    return ", ".join(
        name if name == vendor else f"{name} ({' '.join((vendor, ', '.join(known))).strip()})"
        for (name, vendor), known in models.items()
    )


def _asks_anybody(merged: MergedProgram) -> bool:
    """Whether the program holds anything that only a provider can answer."""
    if any(rubric.kind is tree.RubricKind.JUDGE for rubric in merged.rubrics.values()):
        return True
    roots: list[Node] = [one.body for one in merged.conversations.values()]
    roots += [node for benchmark in merged.benchmarks.values() for node in _expressions(benchmark)]
    return any(map(_asks, _all_nodes(roots)))


def _expressions(benchmark: tree.Benchmark) -> Iterator[Node]:
    for entry in benchmark.statements:
        if isinstance(entry, tree.Run | tree.Assert):
            yield entry.value
        elif isinstance(entry, tree.Expect):
            yield from (entry.subject, entry.judge)
        elif isinstance(entry, tree.Snapshot):
            yield from (entry.value, entry.key)


def _all_nodes(waiting: list[Node]) -> Iterator[Node]:
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(parts(node))


def _asks(node: Node) -> bool:
    if isinstance(node, tree.Ask | tree.AskStatement | tree.Assistant):
        return True
    return (
        isinstance(node, tree.Call)
        and isinstance(node.callee, tree.Field)
        and isinstance(node.callee.base, tree.Variable)
        and node.callee.base.name == "embedding"
    )
