from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evaltui.clock import Clock
from evaltui.errors import StoreError
from evaltui.models import RunInfo
from evaltui.store import open_store
from evaltui.store.connection import PAGE_BYTES
from evaltui.store.schema import VERSION

MakeRun = Callable[..., RunInfo]


@pytest.fixture
def filled(path: Path, clock: Clock, make_run: MakeRun) -> Path:
    """A closed store with one run."""
    with open_store(path, clock) as store:
        store.begin_run(make_run(), [])
    return path


def test_a_new_store_is_private_and_ignored_by_git(filled: Path) -> None:
    assert stat.S_IMODE(filled.stat().st_mode) == 0o600
    assert (filled.parent / ".gitignore").read_text() == "*\n"


def test_a_store_named_by_the_user_leaves_its_folder_alone(tmp_path: Path, clock: Clock) -> None:
    open_store(tmp_path / "mine.db", clock).close()

    assert not (tmp_path / ".gitignore").exists()


def test_reading_commands_make_no_store(path: Path, clock: Clock) -> None:
    with pytest.raises(StoreError, match="there is no store here; run a suite first"):
        open_store(path, clock, create=False)
    assert not path.parent.exists()


def test_a_store_opens_read_only_and_can_be_reviewed(filled: Path, clock: Clock) -> None:
    with open_store(filled, clock, read_only=True) as store:
        assert store.read_only
        assert store.summaries(store.run().id) == []
        assert store.last_done("/p") is None
        with pytest.raises(StoreError, match="the store is read-only"):
            store.push_mark("/p", "{}")
        with pytest.raises(StoreError, match="the store is read-only"):
            store.log_intent("i", "{}")
        with pytest.raises(StoreError, match="the store is read-only"):
            store.writer(store.run().id)


def test_a_read_only_reader_sees_what_a_living_writer_commits(
    path: Path, clock: Clock, make_run: MakeRun
) -> None:
    with open_store(path, clock) as store, open_store(path, clock, read_only=True) as reader:
        store.begin_run(make_run(), [])
        assert reader.run().label == "r1"


def test_a_store_beside_which_no_journal_can_be_made_can_be_reviewed(
    filled: Path, clock: Clock
) -> None:
    filled.with_name("trace.db-wal").mkdir()

    with open_store(filled, clock, read_only=True) as store:
        assert store.run().label == "r1"


def test_a_read_only_copy_of_a_store_in_use_shows_its_newest_cases(
    path: Path, tmp_path: Path, clock: Clock, make_run: MakeRun
) -> None:
    copy = tmp_path / "trace.db"
    with open_store(path, clock) as store:
        store.begin_run(make_run(), [])
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    Path(f"{copy}-shm").mkdir()

    with open_store(copy, clock, read_only=True) as reader:
        assert reader.run().label == "r1"


def _header(path: Path) -> None:
    path.write_bytes(b"not a database, by any means" + path.read_bytes()[28:])


def _halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // PAGE_BYTES * PAGE_BYTES])


def _overwritten(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:PAGE_BYTES] + b"\x00" * (len(data) - PAGE_BYTES))


@pytest.mark.parametrize("damage", [_header, _halved, _overwritten])
def test_a_damaged_store_is_named_with_the_way_out_and_not_touched(
    filled: Path, clock: Clock, make_run: MakeRun, damage: Callable[[Path], None]
) -> None:
    damage(filled)
    before = filled.read_bytes()

    with pytest.raises(StoreError) as caught, open_store(filled, clock) as store:
        store.run()
    assert str(filled) in str(caught.value)
    assert "move it away (mv trace.db trace.db.damaged)" in str(caught.value)
    assert filled.read_bytes() == before


def test_a_damaged_record_does_not_end_in_a_traceback(
    filled: Path, clock: Clock, make_run: MakeRun
) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("UPDATE runs SET info = '{'")
        connection.commit()

    with (
        open_store(filled, clock) as store,
        pytest.raises(StoreError, match="a stored record is damaged"),
    ):
        store.run()


def test_a_store_of_a_newer_version_is_refused(filled: Path, clock: Clock) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")

    message = f"the store has version {VERSION + 1}, this evaltui knows up to {VERSION}"
    with pytest.raises(StoreError, match=message):
        open_store(filled, clock)


def test_a_database_of_something_else_is_refused_and_kept(tmp_path: Path, clock: Clock) -> None:
    foreign = tmp_path / "app.db"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE users (name)")
    before = foreign.read_bytes()

    with pytest.raises(StoreError, match="not a store of evaltui"):
        open_store(foreign, clock)
    assert foreign.read_bytes() == before


def test_a_folder_in_place_of_the_file_is_one_line(path: Path, clock: Clock) -> None:
    path.mkdir(parents=True)

    with pytest.raises(StoreError, match="not a file"):
        open_store(path, clock)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / ".evaltui").write_text("a file")

    with pytest.raises(StoreError, match="the store cannot be made"):
        open_store(tmp_path / ".evaltui" / "trace.db", clock)


def test_an_existing_store_opens_without_the_libraries_that_made_it(filled: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from evaltui.clock import system_clock
from evaltui.store import open_store
with open_store(Path({str(filled)!r}), system_clock({{}})) as store:
    store.run()
print([name for name in ("sqlite_utils", "pydantic", "textual", "asyncio") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_store_that_was_never_filled_is_not_called_old(path: Path, clock: Clock) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="the store is empty; run a suite first"):
        open_store(path, clock, read_only=True)
