"""Finds a case in a suite file, and how the user's editor is told to open there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

_LIMIT = 2_000_000
_JUMPS = ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "hx", "joe", "ne")


def editor_command(environment: Mapping[str, str], path: Path, line: int) -> list[str]:
    """The command line of ``$VISUAL``, ``$EDITOR`` or ``vi``, at a line where it is known how."""
    command = environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    words = shlex.split(command)
    name = Path(words[0]).name
    if name in ("code", "codium", "subl", "zed"):
        at = f"{path}:{line}"
        return [*words, "--goto", at] if name in ("code", "codium") else [*words, at]
    if name in _JUMPS:
        return [*words, f"+{line}", str(path)]
    return [*words, str(path)]


def line_of(path: Path, case_id: str) -> int:
    """The first line that mentions a case id, counted from 1; 1 when none does."""
    with path.open("rb") as file:
        head = file.read(_LIMIT)
    place = head.find(case_id.encode("utf-8", "surrogatepass"))
    return head.count(b"\n", 0, max(place, 0)) + 1
