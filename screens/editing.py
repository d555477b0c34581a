"""Hands the terminal to the user's editor, opened at a case."""

from __future__ import annotations

import os
import subprocess

from textual.app import App, SuspendNotSupported

from evaltui.review.case_places import Place
from evaltui.review.editor import editor_command


def edit(app: App[object], place: Place) -> str | None:
    """Run the editor; answers a sentence when that was not possible."""
    command = editor_command(os.environ, place.path, place.line)
    try:
        with app.suspend():
            done = subprocess.run(command, check=False)
    except SuspendNotSupported:
        return "this terminal cannot be handed to an editor"
    except OSError as error:
        return f"cannot start the editor {command[0]!r}: {error.strerror}; set EDITOR"
    return None if done.returncode == 0 else f"the editor ended with {done.returncode}"
