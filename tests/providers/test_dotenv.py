"""Reading ``.env`` files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.errors import ConfigurationError
from evaltui.providers.dotenv import load_environment, parse_dotenv


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=1\nB = two # note\n\n# c\n  C=", {"A": "1", "B": "two", "C": ""}),
        ("\ufeffA=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("export A=1\nexport=2", {"A": "1", "export": "2"}),
        ("A=1\nA=2", {"A": "1"}),
        ("A=a#b", {"A": "a#b"}),
        ("A=# only a comment", {"A": ""}),
        ("A='x $B \\n'", {"A": "x $B \\n"}),
        ('A="x\\n\\\\\\"\\$\\ y"', {"A": 'x\n\\"$ y'}),
        ('A="one\ntwo" # c\nB=3', {"A": "one\ntwo", "B": "3"}),
        ("A=a\\ b'c d'\"e f\"", {"A": "a bc de f"}),
        ("A=1\nB=$A$A-${A}_$A_${X}$NONE.", {"A": "1", "B": "11-1_1_env."}),
        ('A="$X"', {"A": "env"}),
        ("X=file\nA=$X", {"X": "file", "A": "env"}),
        ("a.b=1", {"a.b": "1"}),
    ],
)
def test_grammar(text: str, found: dict[str, str]) -> None:
    assert parse_dotenv(text, {"X": "env"}) == found


@pytest.mark.parametrize(
    ("text", "line", "index"),
    [
        ("NOT A PAIR\n", "NOT A PAIR", 4),
        ("A=1\n=x", "=x", 0),
        ("1A=x", "1A=x", 0),
        ("A=b c", "b c", 2),
        ('A="open', '"open', 5),
        ("A=\\q", "\\q", 1),
        ("A=${B", "${B", 3),
    ],
)
def test_malformed_lines_are_shown(text: str, line: str, index: int) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_dotenv(text, {})
    expected = f".env: Error parsing line: '{line}', error at line index: {index}"
    assert caught.value.message == expected


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_dotenv(text, {})
    except ConfigurationError as error:
        assert "Error parsing line" in error.message


def test_variables_already_set_win(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=file\nB=file\n")
    assert load_environment(tmp_path, {"A": "set"}) == {"A": "set", "B": "file"}
    assert load_environment(tmp_path / "none", {"A": "set"}) == {"A": "set"}


@pytest.mark.parametrize(
    "text",
    [
        "A=1\nOPENAI_API_KEY=sk-secret word\n",
        'A=1\nX="sk-secret\nOTHER=sk-secret\n',
        "\nsk-secret\n",
    ],
)
def test_a_line_that_may_hold_a_key_is_told_by_its_number(tmp_path: Path, text: str) -> None:
    (tmp_path / ".env").write_text(text)
    with pytest.raises(ConfigurationError, match=r"\.env:2: this line is no assignment") as caught:
        load_environment(tmp_path, {})
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="sk-secret"):
        load_environment(tmp_path, {}, showing=True)
