"""Suite folders of a project: those that hold decisions or baselines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote

from evaltui.errors import StoreError, UsageError
from evaltui.paths import real_path

_MARKS = ("decisions", "snapshots")


def suite_folders(paths: Sequence[Path]) -> list[Path]:
    """The folders at or below ``paths`` that hold ``decisions`` or ``snapshots``.

    Acts that were cut short there are finished or taken back first.

    Raises:
        UsageError: a path does not exist.
        DecisionError: an act that was cut short cannot be put right.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise UsageError("no such file or folder", place=str(path))
        start = path if path.is_dir() else path.parent
        found |= dict.fromkeys(_below(real_path(start)))
    _put_right(found)
    return list(found)


def project_option(root: str) -> str:
    """The option by which a command finds a project from the working folder; empty inside it."""
    from evaltui.project import find_root

    if find_root(Path()).resolve() == Path(root).resolve():
        return ""
    return f" --project {quote(os.path.relpath(root))}"


def store_option(root: str, store: Path) -> str:
    """The option by which a command finds a store that is not the project's own; else empty."""
    from evaltui.project import store_path

    if store.resolve() == store_path(Path(root)).resolve():
        return ""
    return f" --store {quote(os.path.relpath(store))}"


def _put_right(folders: Iterable[Path]) -> None:
    """Repair by the stores of these projects; decisions can be read without a store, too."""
    from evaltui.commands.console import note
    from evaltui.project import find_root, store_path

    stores = dict.fromkeys(store_path(find_root(folder)) for folder in folders)
    for path in stores:
        if path.exists():
            with suppress(StoreError):
                for line in _repaired(path):
                    note(line)


def _repaired(path: Path) -> list[str]:
    from evaltui.clock import system_clock
    from evaltui.review.committing import repair
    from evaltui.store.store import open_store

    with open_store(path, system_clock(), create=False) as store:
        return repair(store)


def _below(start: Path) -> Iterator[Path]:
    for parent, folders, _ in os.walk(start):
        if any(mark in folders for mark in _MARKS):
            yield Path(parent)
        folders[:] = sorted(
            name for name in folders if name not in _MARKS and not name.startswith(".")
        )
