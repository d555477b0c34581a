"""The commit that reports name."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.engine.checkout import commit_of

COMMIT = "0123456789abcdef" * 2 + "01234567"


def repository(folder: Path, head: str | bytes, **files: str) -> Path:
    home = folder / ".git"
    (home / "refs" / "heads").mkdir(parents=True)
    (home / "HEAD").write_bytes(head if isinstance(head, bytes) else head.encode())
    for name, text in files.items():
        (home / name.replace("_", "-")).write_text(text)
    (folder / "sub").mkdir()
    return folder / "sub"


def test_a_branch_is_followed_to_its_commit(tmp_path: Path) -> None:
    folder = repository(tmp_path, "ref: refs/heads/main\n")
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(f"{COMMIT}\n")
    assert commit_of(folder) == COMMIT


def test_packed_and_detached_heads_are_read(tmp_path: Path) -> None:
    packed = f"# pack-refs\n{COMMIT} refs/heads/main\n"
    first = repository(tmp_path / "a", "ref: refs/heads/main\n", packed_refs=packed)
    assert commit_of(first) == COMMIT
    assert commit_of(repository(tmp_path / "b", f"{COMMIT}\n")) == COMMIT


@pytest.mark.parametrize(
    "head",
    [
        b"\xff\xfe",
        "",
        "\x1b[31m",
        "ref: ../../secret",
        "ref: refs/../../secret",
        "ref: refs/heads/gone",
        "ref: /etc/passwd",
        "secret",
    ],
)
def test_nothing_but_a_commit_is_answered(tmp_path: Path, head: str | bytes) -> None:
    (tmp_path / "secret").write_text("a secret\n")
    assert commit_of(repository(tmp_path, head)) is None


def test_without_a_repository_there_is_no_commit(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert commit_of(tmp_path) is None
