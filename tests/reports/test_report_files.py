"""Where reports go: whole files, links, devices, and paths that cannot be."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TextIO

import pytest

from evaltui.errors import UsageError
from evaltui.reports.base import parse_requests, write_file

FORMATS = ["json", "text"]


def hello(out: TextIO) -> None:
    out.write("hello\n")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("sub/real.json")
    write_file(tmp_path / "link", hello)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "sub" / "real.json").read_text() == "hello\n"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(pipe, hello)
    reader.join(timeout=10)
    assert read == ["hello\n"]
    assert pipe.is_fifo()


def test_a_report_that_fails_half_way_leaves_the_former_one(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("former")

    def fail(out: TextIO) -> None:
        out.write("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"cannot write the report: No space left on device"):
        write_file(path, fail)
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]
    assert path.read_text() == "former"


def test_one_file_takes_one_report_however_it_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("a.json")
    for other in ("a.json", "./a.json", "x/../a.json", "link", str(tmp_path / "a.json")):
        with pytest.raises(UsageError, match="two reports would be written to"):
            parse_requests(["json:a.json", f"text:{other}"], FORMATS)


@pytest.mark.parametrize("name", [".", "new/", ".."])
def test_a_folder_is_no_place_for_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="names a folder; name a file"):
        parse_requests([f"json:{name}"], FORMATS)
