"""What a user asked for when starting a run, as one value that can cross a pipe."""

from __future__ import annotations

from decimal import Decimal

from msgspec import Struct


class RunRequest(Struct, frozen=True):
    """The options of ``evaltui run`` that decide what is run, and how.

    ``resume`` is None for a new run, empty for the latest, else a run. ``replay`` names the run
    that answers come from. Paths are as typed, relative to ``folder``.
    """

    paths: tuple[str, ...] = ()
    folder: str = "."
    benchmarks: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    mock: bool = False
    replay: str | None = None
    filter: str = ""
    limit: int | None = None
    concurrency: int | None = None
    resume: str | None = None
    no_cache: bool = False
    record: bool = False
    dry_run: bool = False
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    store: str | None = None
    reviewer: str | None = None
    arguments: tuple[str, ...] = ()
