"""The Ulexite files that a command line names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaltui.errors import UsageError

_SKIPPED = frozenset(("node_modules", "__pycache__", "snapshots", "decisions"))


def source_files(paths: Sequence[str]) -> list[str]:
    """Files as typed, and the ``.ulx`` files of folders, each once and in order.

    Raises:
        UsageError: a path does not exist, or a folder holds no ``.ulx`` file.
    """
    found: dict[str, str] = {}
    for typed in paths:
        for file in _files_at(typed):
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def _files_at(typed: str) -> list[str]:
    path = Path(typed)
    if not path.exists():
        raise UsageError("no such file or folder", place=typed)
    if not path.is_dir():
        return [typed]
    found = list(_in_folder(path))
    if not found:
        raise UsageError("no .ulx file in this folder", place=typed)
    return found


def _in_folder(folder: Path) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        for name in sorted(files):
            if name.endswith(".ulx") and not name.startswith("."):
                yield str(Path(parent, name))
