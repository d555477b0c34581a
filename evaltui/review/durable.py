"""Files that are there whole or not at all, also after a crash."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

_AT_ONCE = 8
_SUFFIX = ".evaltui-part"
_KEPT = 50
"""Of a name that may be as long as names can be; the hash that tells it from others is in there."""
Step = Callable[[str], None]


def nothing(_: str) -> None:
    """The step callback of those who do not count steps."""


def write_files(
    contents: Mapping[Path, bytes | None], name: str = "file", step: Step = nothing
) -> None:
    """Replace files by new contents, or remove those whose content is None.

    Every new content is on disk before the first file is touched, and every folder after the last.

    Args:
        contents: New bytes by path; missing folders are made.
        name: What to call one file when ``step`` is told of it.
        step: Called after each file was put in place.

    Raises:
        OSError: a file could not be written; those already in place stay.
    """
    written = {path: data for path, data in contents.items() if data is not None}
    for folder in {path.parent for path in written}:
        _make_folder(folder)
    try:
        _all_at_once(_write_part, written.items())
        for path, data in contents.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                part_of(path).replace(path)
            step(name)
    except BaseException:
        for path in written:
            with suppress(OSError):
                part_of(path).unlink()
        raise
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


def part_of(path: Path) -> Path:
    """Where the content of ``path`` is put together."""
    return path.with_name(f".{path.name[-_KEPT:]}{_SUFFIX}")


def remove_parts(folders: Iterable[Path]) -> None:
    """Remove what a crashed write left behind."""
    for folder in set(folders):
        for path in _content(folder):
            if path.name.startswith(".") and path.name.endswith(_SUFFIX):
                path.unlink(missing_ok=True)


def _content(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _write_part(item: tuple[Path, bytes]) -> None:
    path, data = item
    with part_of(path).open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _all_at_once(
    write: Callable[[tuple[Path, bytes]], None], items: Iterable[tuple[Path, bytes]]
) -> None:
    waiting = list(items)
    if len(waiting) < _AT_ONCE:
        for item in waiting:
            write(item)
        return
    # Syncs that wait together share the disk's journal.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(write, waiting))


def _make_folder(folder: Path) -> None:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        _sync_folder(one.parent)


def _sync_folder(folder: Path) -> None:
    if not folder.is_dir():
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
