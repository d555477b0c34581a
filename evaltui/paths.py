"""Where a path really leads."""

from __future__ import annotations

import os
from pathlib import Path


def real_path(path: Path | str) -> Path:
    """``path`` absolute and with its links followed, as far as they lead.

    Unlike ``Path.resolve`` it has an answer for links in a circle, too: opening the file then says
    what is wrong.
    """
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        # A NUL in it: no file is called so.
        return Path(os.path.abspath(path))  # noqa: PTH100


def lies_below(path: Path | str, root: Path) -> bool:
    """Whether ``path`` really leads into ``root``."""
    return real_path(path).is_relative_to(real_path(root))
