"""The user's editor opens where the case is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.review.editor import editor_command, line_of

SUITE = Path("/suites/a.jsonl")


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({}, ["vi", "+7", str(SUITE)]),
        ({"EDITOR": "nano -w"}, ["nano", "-w", "+7", str(SUITE)]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait", "--goto", f"{SUITE}:7"]),
        ({"EDITOR": "subl"}, ["subl", f"{SUITE}:7"]),
        ({"EDITOR": "my-editor"}, ["my-editor", str(SUITE)]),
    ],
)
def test_the_editor_is_told_the_line_where_it_is_known_how(
    environment: dict[str, str], command: list[str]
) -> None:
    assert editor_command(environment, SUITE, 7) == command


def test_a_case_is_found_by_the_first_line_that_names_it(tmp_path: Path) -> None:
    suite = tmp_path / "rows.jsonl"
    suite.write_text('{"id": "a"}\n{"id": "漢"}\n', encoding="utf-8")
    assert line_of(suite, "漢") == 2
    assert line_of(suite, "gone") == 1
