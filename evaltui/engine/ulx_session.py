"""What every ``ulx`` command that runs a program sets up, in the order of the reference."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self, TextIO

from msgspec import Struct

from evaltui.engine.blocking import at_end
from evaltui.engine.cache import FileCache
from evaltui.engine.compiler import CompiledProgram, compile_program
from evaltui.engine.effects import Dialect
from evaltui.engine.run_manifest import (
    InvalidRunId,
    RunManifest,
    check_run_id,
    new_run_id,
    write_manifest,
)
from evaltui.engine.trace import TraceWriter, trace_path
from evaltui.engine.ulx_effects import Listener, Mode, UlxEffects
from evaltui.providers.dotenv import load_environment
from evaltui.providers.entries import provider_entries, selected
from evaltui.providers.registry import Registry, build_registry, mock_registry
from evaltui.ulx.merge import MergedProgram
from evaltui.ulx.reading import os_error_text

if TYPE_CHECKING:
    from evaltui.providers.http_provider import Surroundings


class CommandFailure(Exception):
    """A command cannot go on; ``text`` is what follows ``error: ``."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class UlxSession(Struct, frozen=True):
    """A program ready to run under a run id, once or several times; a context manager."""

    merged: MergedProgram
    program: CompiledProgram
    run_id: str
    registry: Registry
    cache: FileCache
    trace: TraceWriter

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.trace.close()

    @property
    def folder(self) -> Path:
        """The directory of the entry file, as typed."""
        return Path(base_of(self.merged.typed))

    def effects(self, mode: Mode | None = None, listener: Listener | None = None) -> UlxEffects:
        """Effects for one pass; counters start anew."""
        return UlxEffects(
            self.run_id, self.registry, self.cache, self.trace, mode=mode, listener=listener
        )


def base_of(typed: str) -> str:
    """The directory part of a path as typed; empty when it has none."""
    return os.path.dirname(typed)  # noqa: PTH120 - Path() would drop a leading "./"


def resolve_providers(merged: MergedProgram, *, mock: bool, names: Sequence[str]) -> Registry:
    """The providers of a program.

    Raises:
        ConfigurationError: ``.env`` is malformed, or a provider cannot be built.
    """
    environment = load_environment(Path(base_of(merged.typed)), os.environ, showing=True)
    if mock:
        return mock_registry(merged.providers)
    entries = provider_entries(merged.manifest, merged.providers, merged.typed)
    chosen = selected(entries, names)
    return build_registry(chosen, {}, environment, file=merged.typed, around=cache(_surroundings))


def _surroundings() -> Surroundings:
    """What all live providers share; connections are closed at the end of the process."""
    from evaltui.providers.http_provider import Surroundings
    from evaltui.providers.network import Network
    from evaltui.providers.rules import ULX_RULES
    from evaltui.redaction import SecretScanner

    network = Network(ULX_RULES, scanner=SecretScanner((), {}))
    at_end(network.close)
    return Surroundings(network)


def start_run(
    merged: MergedProgram, asked: RunManifest, run_id: str | None, stderr: TextIO
) -> UlxSession:
    """Write the run manifest, then open a session under the given id or a new one.

    Raises:
        ConfigurationError: providers cannot be set up.
        CommandFailure: the run id or its folders cannot be used.
    """
    identity = run_id
    if identity is None:
        what = asked.benchmark if asked.benchmark is not None else asked.conversation
        arguments = [f"{name}={value}" for name, value in sorted(asked.args.items())]
        identity = new_run_id([asked.file, what, *arguments])
    try:
        write_manifest(identity, asked)
    except (InvalidRunId, OSError) as error:
        stderr.write(f"warning: could not persist run manifest: {_reason(error)}\n")
    return open_session(merged, asked, identity)


def open_session(merged: MergedProgram, asked: RunManifest, run_id: str) -> UlxSession:
    """Resolve providers and create the cache folder and the trace file.

    Raises:
        ConfigurationError: providers cannot be set up.
        CommandFailure: the run id or its folders cannot be used.
    """
    registry = resolve_providers(merged, mock=asked.force_mock, names=asked.selected_providers)
    program = compile_program(merged, Dialect.ULX)
    cache = FileCache()
    try:
        check_run_id(run_id)
        cache.create()
        trace = TraceWriter(trace_path(run_id))
    except (InvalidRunId, OSError) as error:
        raise CommandFailure(f"could not set up run context: {_reason(error)}") from error
    return UlxSession(merged, program, run_id, registry, cache, trace)


def _reason(error: InvalidRunId | OSError) -> str:
    return os_error_text(error) if isinstance(error, OSError) else str(error)
