"""A project as commands and runs need it: root, policy, store file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from evaltui.project import Policy, find_root, load_policy, store_path


class Project(Struct, frozen=True):
    """A project root with its policy and store file."""

    root: Path
    policy: Policy
    store: Path


def open_project(path: Path, store: str | None = None) -> Project:
    """The project around ``path``.

    Raises:
        ConfigurationError: its policy cannot be used.
    """
    root = find_root(path)
    return Project(root, load_policy(root), Path(store) if store else store_path(root))
