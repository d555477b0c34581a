"""Who decides: a claim, checked only for being a name."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from evaltui.errors import UsageError

VARIABLE = "EVALTUI_REVIEWER"
_LONGEST = 100
_JOINERS = "\u200c\u200d"
_HINT = f"use --reviewer NAME, {VARIABLE}, or git config user.name"


class Reviewer(Struct, frozen=True):
    """A person's name, and e-mail address where it is known."""

    name: str
    email: str | None = None


def reviewer_named(text: str) -> Reviewer:
    """A reviewer from ``Name`` or ``Name <mail>``.

    Raises:
        UsageError: empty, longer than 100 characters, or with control characters in it.
    """
    name, bracket, rest = text.strip().partition("<")
    email = rest.rstrip("> ") if bracket else None
    name = name.strip()
    if not name:
        raise UsageError("the reviewer's name is empty", hint=_HINT)
    if len(name) > _LONGEST or len(email or "") > _LONGEST:
        raise UsageError(f"the reviewer's name is longer than {_LONGEST} characters", hint=_HINT)
    if any(_is_hidden(one) for one in text.strip()):
        raise UsageError("the reviewer's name holds control characters", hint=_HINT)
    return Reviewer(name, email or None)


def _is_hidden(character: str) -> bool:
    """Whether a character could act or hide; the joiners that names are spelled with may stand."""
    category = unicodedata.category(character)
    return category in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS


def find_reviewer(
    asked: str | None, folder: Path, environment: Mapping[str, str] | None = None
) -> Reviewer | None:
    """The reviewer by ``--reviewer``, else ``EVALTUI_REVIEWER``, else git; None when none says.

    Raises:
        UsageError: the name given is none.
    """
    values = os.environ if environment is None else environment
    if asked is not None:
        return reviewer_named(asked)
    if values.get(VARIABLE):
        return reviewer_named(values[VARIABLE])
    name, email = git_config(folder, "user.name"), git_config(folder, "user.email")
    try:
        return Reviewer(reviewer_named(name).name, email or None) if name else None
    except UsageError:
        return None


def git_config(folder: Path, name: str) -> str:
    """A value of git's configuration in ``folder``; empty without git or without the value."""
    try:
        done = subprocess.run(
            ["git", "config", "--get", name],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
