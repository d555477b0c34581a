"""A case is edited where its row is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.engine.tagging import content_hash
from evaltui.models import Section
from evaltui.review.case_places import Place, place_of

SUITE = """
dataset Rows: list<Row> { from "data/rows.jsonl" }
dataset Few: list<Row> {
  [ {id: "one", text: "x"},
    {id: "two", text: "y"} ]
}
benchmark Replies { dataset: Rows run: $.text -> reply }
benchmark Small { dataset: Few run: $.text -> reply }
"""
ROWS = (
    '{"id": "z", "text": "like case a-7"}\n\n{"id": "a-7", "text": "1"}\n{"id": "\\u6f22"}\n'
    '{"text": "no id"}\n'
)


@pytest.fixture
def section(tmp_path: Path) -> Section:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "rows.jsonl").write_text(ROWS, encoding="utf-8")
    (tmp_path / "s.ulx").write_text(SUITE, encoding="utf-8")
    return Section(0, "ulexite", "s.ulx", str(tmp_path), "Replies", "s", "d", 3)


@pytest.mark.parametrize(("case_id", "line"), [("a-7", 3), ("z", 1), ("漢", 4)])
def test_rows_of_a_file_are_found_there(section: Section, case_id: str, line: int) -> None:
    assert place_of(section, case_id) == Place(Path(section.folder, "data/rows.jsonl"), line)


def test_a_row_without_an_id_is_found_by_its_digest(section: Section) -> None:
    place = place_of(section, "0123456789abcdef", content_hash({"text": "no id"}))
    assert (place.path.name, place.line) == ("rows.jsonl", 5)


def test_a_row_that_is_gone_leads_to_the_dataset(section: Section) -> None:
    assert place_of(section, "gone") == Place(Path(section.folder, "s.ulx"), 2)


def test_inline_rows_are_found_in_the_suite(section: Section) -> None:
    small = Section(1, "ulexite", "s.ulx", section.folder, "Small", "s", "d", 2)
    assert place_of(small, "two") == Place(Path(section.folder, "s.ulx"), 5)


def test_a_suite_that_cannot_be_parsed_is_searched(section: Section) -> None:
    suite = Path(section.folder, "s.ulx")
    suite.write_text("benchmrk X {\n a-7\n", encoding="utf-8")
    assert place_of(section, "a-7") == Place(suite, 2)
