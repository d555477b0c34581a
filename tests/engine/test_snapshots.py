"""Snapshot files: names, content, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.engine import snapshots
from evaltui.engine.values import JsonError, Value


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("greet/en", "greet_en-149cafee.json"),
        ("", "_-e3b0c442.json"),
        ("k{$.s}", "k___s_-99edaf75.json"),
        ("the/key é 1", "the_key_é_1-dab71ef0.json"),
    ],
)
def test_file_names(key: str, name: str) -> None:
    assert snapshots.path_of(Path("x"), "B", key) == Path("x/snapshots/B") / name


def test_letters_marks_and_numbers_are_kept_and_names_are_short() -> None:
    name = snapshots.path_of(Path(), "B", "हिन्दी ①Ⅷ" + "x" * 80).name
    assert name.startswith("हिन_दी_①Ⅷ" + "x" * 51 + "-")


def test_content(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(snapshots.encode('a"b', {"n": [1, "é"]}))
    assert path.read_text(encoding="utf-8").startswith('{\n  "key": "a\\"b",\n  "value": {\n')
    assert not path.read_bytes().endswith(b"\n")
    assert snapshots.read(path) == {"n": [1, "é"]}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"key":"k"}', b"\xff", b'{"value":{}}'])
def test_what_is_no_snapshot_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(JsonError):
        snapshots.read(path)


def test_bytes_are_those_of_the_reference() -> None:
    value: Value = "hello"
    assert snapshots.encode("greet/en", value) == (
        b'{\n  "key": "greet/en",\n  "value": {\n    "kind": "Text",\n    "value": "hello"\n  }\n}'
    )
