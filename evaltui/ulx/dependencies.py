"""Where the dependencies of a manifest lie on disk (runtime specification 0.1 and 9.11)."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from evaltui.errors import ConfigurationError
from evaltui.ulx.manifest import Dependency, Manifest

CLONES = Path(".ulexite") / "git-deps"


class DependencyError(ConfigurationError):
    """A git dependency could not be fetched; ``message`` is the text without ``error: ``."""


def dependency_folders(manifest: Manifest | None, base: Path) -> dict[str, Path | None]:
    """The folder of every dependency, None for those that have only a version.

    Git dependencies are cloned below ``base`` on first use. Raises ``DependencyError``.
    """
    if manifest is None:
        return {}
    return {name: _folder(name, entry, base) for name, entry in manifest.dependencies.items()}


def _folder(name: str, dependency: Dependency, base: Path) -> Path | None:
    if dependency.path is not None:
        return base / dependency.path
    if dependency.git is not None:
        return _clone(name, dependency.git, dependency.tag, base)
    return None


def clone_name(url: str, tag: str | None) -> str:
    """The folder name of a clone: 16 hex digits of a digest of the address and the tag."""
    return hashlib.sha256(f"{url}@{tag or 'HEAD'}".encode()).hexdigest()[:16]


def _clone(name: str, url: str, tag: str | None, base: Path) -> Path:
    folder = base / CLONES / clone_name(url, tag)
    if folder.exists():
        return folder
    if shutil.which("git") is None:
        raise DependencyError(f"dependency `{name}`: `git` is not installed")
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        _git(name, f"failed to clone `{url}`", "clone", "--quiet", "--", url, str(fresh))
        if tag is not None:
            _check_out(name, tag, fresh)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _check_out(name: str, tag: str, clone: Path) -> None:
    failure = f"failed to check out tag `{tag}`"
    if tag.startswith("-"):
        raise DependencyError(f"dependency `{name}`: {failure}: not a tag")
    _git(name, failure, "-C", str(clone), "checkout", "--quiet", tag, "--")


def _git(name: str, failure: str, *arguments: str) -> None:
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        raise DependencyError(f"dependency `{name}`: {failure}: {done.stderr.strip()}")
