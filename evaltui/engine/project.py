"""A project as commands and runs need it: root, policy, store file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from evaltui.errors import UsageError
from evaltui.project import Policy, find_root, load_policy, store_path


class Project(Struct, frozen=True):
    """A project root with its policy and store file."""

    root: Path
    policy: Policy
    store: Path


def open_project(path: Path, store: str | None = None) -> Project:
    """The project around ``path``.

    Raises:
        UsageError: its path is not UTF-8.
        ConfigurationError: its policy cannot be used.
    """
    root = find_root(path)
    refuse_unwritable(root)
    return Project(root, load_policy(root), Path(store) if store else store_path(root))


def refuse_unwritable(path: Path) -> None:
    """Make sure that a path can be written down, in the store, in decisions and in reports.

    Raises:
        UsageError: it is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UsageError("this path is not UTF-8", place=str(path), hint="rename it") from None
