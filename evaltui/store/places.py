"""Paths of the project that a store belongs to, written down relative to it.

A project that is moved or copied with its store then finds its own folders, not those of the place
it came from. Paths elsewhere stay as they are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from evaltui.paths import real_path
from evaltui.store.connection import FOLDER

_INSIDE: Final = "./"


def kept(store: Path, path: str) -> str:
    """What to write down for an absolute path."""
    home = _home(store)
    for place in (home, home and real_path(home)):
        if place is not None and Path(path).is_relative_to(place):
            return _INSIDE + os.path.relpath(path, place)
    return path


def found(store: Path, text: str) -> str:
    """The path that was written down as ``text``, links resolved as suites resolve theirs."""
    home = _home(store)
    if home is None or not text.startswith(_INSIDE):
        return text
    return os.path.normpath(real_path(home) / text)


def _home(store: Path) -> Path | None:
    """The project of a store that lies where a project keeps its own."""
    folder = store.absolute().parent
    return folder.parent if folder.name == FOLDER else None
