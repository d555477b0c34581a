"""Suite folders of a project: those that hold decisions or baselines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaltui.errors import UsageError

_MARKS = ("decisions", "snapshots")


def suite_folders(paths: Sequence[Path]) -> list[Path]:
    """The folders at or below ``paths`` that hold ``decisions`` or ``snapshots``.

    Raises:
        UsageError: a path does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise UsageError("no such file or folder", place=str(path))
        start = path if path.is_dir() else path.parent
        found |= dict.fromkeys(_below(start.resolve()))
    return list(found)


def _below(start: Path) -> Iterator[Path]:
    for parent, folders, _ in os.walk(start):
        if any(mark in folders for mark in _MARKS):
            yield Path(parent)
        folders[:] = sorted(
            name for name in folders if name not in _MARKS and not name.startswith(".")
        )
