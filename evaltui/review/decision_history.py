"""Who committed which decision file."""

from __future__ import annotations

import subprocess
from pathlib import Path

from msgspec import Struct

from evaltui.errors import DecisionError


class Author(Struct, frozen=True):
    """The author of one commit."""

    commit: str
    name: str
    email: str


def authors_of(folder: Path) -> dict[str, list[Author]]:
    """File names below ``folder`` and the authors of the commits that touched them, latest first.

    Raises:
        DecisionError: git is missing, or the folder is in no repository.
    """
    format = "--format=%x01%H%x00%an%x00%ae"
    command = ["git", "log", format, "--name-only", "-z", "--no-renames", "--", "."]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DecisionError(f"git cannot be asked: {error}", place=str(folder)) from None
    if done.returncode != 0:
        fact = done.stderr.strip().splitlines()
        raise DecisionError(
            f"git cannot be asked: {fact[0] if fact else 'it failed'}", place=str(folder)
        )
    return _parse(done.stdout)


def _parse(text: str) -> dict[str, list[Author]]:
    found: dict[str, list[Author]] = {}
    for entry in text.split("\x01")[1:]:
        commit, name, rest = entry.split("\0", 2)
        email, *paths = rest.replace("\n", "\0").split("\0")
        for path in filter(None, paths):
            found.setdefault(Path(path).name, []).append(Author(commit, name, email))
    return found
