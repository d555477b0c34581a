"""Paths inside a project move with its store."""

from __future__ import annotations

from pathlib import Path

from evaltui.store.places import found, kept


def test_paths_of_the_project_are_found_where_the_project_is_now(tmp_path: Path) -> None:
    here, there = (tmp_path / name / ".evaltui" / "trace.db" for name in ("here", "there"))
    for path in ("", "suites", "suites/deep"):
        text = kept(here, str(tmp_path / "here" / path))
        assert found(there, text) == str(tmp_path / "there" / path).rstrip("/")


def test_paths_elsewhere_stay(tmp_path: Path) -> None:
    store = tmp_path / ".evaltui" / "trace.db"
    for path in ("/elsewhere", str(tmp_path.parent), ""):
        assert found(store, kept(store, path)) == path
    shared = tmp_path / "shared.db"
    assert kept(shared, str(tmp_path)) == str(tmp_path)


def test_a_linked_project_is_found_behind_its_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    store = tmp_path / "link" / ".evaltui" / "trace.db"
    for path in (tmp_path / "real" / "s", tmp_path / "link" / "s"):
        assert found(store, kept(store, str(path))) == str(tmp_path / "real" / "s")
