"""From the paths on a command line to suite files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaltui.errors import SuiteError
from evaltui.suites import kind_of, kinds
from evaltui.suites.base import SuiteKind

_SKIPPED = frozenset(("node_modules", "__pycache__", "snapshots", "decisions"))


def find_suites(paths: Sequence[Path]) -> list[tuple[Path, SuiteKind]]:
    """The suite files that ``paths`` name, folders searched, each once and in order.

    Raises:
        SuiteError: a path does not exist, is no suite, or a folder holds none or is unreadable.
    """
    found: dict[str, tuple[Path, SuiteKind]] = {}
    for path in paths:
        for file, kind in _suites_at(path):
            found.setdefault(os.path.realpath(file), (file, kind))
    return list(found.values())


def _suites_at(path: Path) -> list[tuple[Path, SuiteKind]]:
    if not path.exists():
        raise SuiteError("no such file or folder", place=str(path))
    if not path.is_dir():
        return [(path, kind_of(path))]
    found = list(_in_folder(path))
    if not found:
        raise SuiteError("no suite in this folder", place=str(path), hint="name a suite file")
    return found


def _in_folder(folder: Path) -> Iterator[tuple[Path, SuiteKind]]:
    known = kinds()
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not _is_skipped(name))
        for name in sorted(files):
            file = Path(parent, name)
            kind = next((one for one in known if one.discovers(file)), None)
            if kind is not None:
                yield file, kind


def _refuse(error: OSError) -> None:
    raise SuiteError(f"cannot be searched: {error.strerror}", place=str(error.filename))


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED
