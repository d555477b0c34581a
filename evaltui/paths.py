"""Where a path really leads."""

from __future__ import annotations

import os
from pathlib import Path


def real_path(path: Path | str) -> Path:
    """``path`` absolute and with its links followed, as far as they lead.

    Unlike ``Path.resolve`` it has an answer for links in a circle, too: opening the file then says
    what is wrong.
    """
    return Path(os.path.realpath(path))


def lies_below(path: Path | str, root: Path) -> bool:
    """Whether ``path`` really leads into ``root``."""
    return real_path(path).is_relative_to(real_path(root))
