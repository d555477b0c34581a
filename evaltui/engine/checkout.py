"""Which commit of a git repository is checked out, read without starting git."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REFERENCE: Final = re.compile(r"ref: (refs/[^\x00-\x20\x7f~^:?*\[\\]+)")
_LONGEST: Final = 10_000_000


def commit_of(folder: Path) -> str | None:
    """The commit around ``folder``; None when there is none or it cannot be told.

    Only what looks like a commit is answered: a repository cannot make this read other files.
    """
    places = (up / ".git" for up in (folder, *folder.parents))
    home = next((one for one in places if one.is_dir()), None)
    if home is None:
        return None
    try:
        return _commit(home)
    except (OSError, UnicodeError):
        return None


def _commit(home: Path) -> str | None:
    head = _read(home / "HEAD")
    if _COMMIT.fullmatch(head):
        return head
    reference = _REFERENCE.fullmatch(head)
    if reference is None or ".." in head:
        return None
    name = reference[1]
    if (home / name).is_file():
        found = _read(home / name)
    else:
        lines = _read(home / "packed-refs").splitlines()
        found = next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")
    return found if _COMMIT.fullmatch(found) else None


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_LONGEST).decode("utf-8").strip()
