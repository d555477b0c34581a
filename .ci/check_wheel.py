"""Check that a wheel holds one import package, complete, and nothing else.

Usage: ``python .ci/check_wheel.py FILE.whl``. Exits with 1 and names what is missing or too much.
A checkout without symbolic links builds a wheel that lacks the linked folders; this finds it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
LINKED = {"screens": "screens", "styles": "styles", "samples": "fixtures"}
PACKAGED = {".py", ".tcss", ".toml", ".ulx", ".jsonl", ".json", ".md", ".txt", ".typed"}


def expected() -> set[str]:
    """The paths below ``evaltui/`` that the sources promise."""
    paths = {f"evaltui/{path.relative_to(ROOT / 'evaltui')}" for path in _files(ROOT / "evaltui")}
    for name, home in LINKED.items():
        folder = ROOT / home
        paths |= {f"evaltui/{name}/{path.relative_to(folder)}" for path in _files(folder)}
    return paths


def _files(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in PACKAGED and not _local(path.relative_to(folder))
    ]


def _local(path: Path) -> bool:
    return any(part in ("__pycache__", ".evaltui", ".ulexite") for part in path.parts)


def problems(listing: set[str]) -> list[str]:
    """What is wrong with a wheel of these paths, one line each."""
    tops = {name.split("/")[0] for name in listing}
    strangers = [top for top in tops if top != "evaltui" and not top.endswith(".dist-info")]
    missing = expected() - listing
    return [
        *(f"not part of the package: {name}" for name in sorted(strangers)),
        *(f"missing: {name}" for name in sorted(missing)),
    ]


def main(wheel: str) -> int:
    listing = set(ZipFile(wheel).namelist())
    found = problems(listing)
    for line in found or [f"{Path(wheel).name}: {len(listing)} files, all below evaltui/"]:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
