"""Hands the terminal to the user's editor, opened at a case."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from textual.app import App, SuspendNotSupported

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


def edit(app: App[object], path: Path, case_id: str) -> str | None:
    """Run the editor; answers a sentence when that was not possible."""
    command = editor_command(os.environ, path, line_of(path, case_id))
    try:
        with app.suspend():
            done = subprocess.run(command, check=False)
    except SuspendNotSupported:
        return "this terminal cannot be handed to an editor"
    except OSError as error:
        return f"cannot start the editor {command[0]!r}: {error.strerror}; set EDITOR"
    return None if done.returncode == 0 else f"the editor ended with {done.returncode}"
