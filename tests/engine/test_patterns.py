"""Regular expressions of validators: the dialect, its limits, and that they always end."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.engine.carriers import PASS
from evaltui.engine.patterns import PatternError, compile_pattern
from evaltui.engine.validators import check_json, check_regex


def found(pattern: str, text: str) -> bool:
    return compile_pattern(pattern).found_in(text)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("", ["", "x"], []),
        ("a.c", ["xabcx", "aéc"], ["a\nc", "ac"]),
        ("^a$", ["a"], ["a\n", "ba", "a\nb"]),
        (r"\Aa\z", ["a"], ["a\n"]),
        ("(?m)^b$", ["a\nb\nc", "b"], ["ab"]),
        ("(?s)a.b", ["a\nb"], ["ab"]),
        ("(?i)straße|É", ["STRAßE", "é"], ["e"]),
        ("(?i:a)b", ["Ab"], ["AB"]),
        ("(?i)σ", ["ς", "Σ"], ["s"]),
        ("(?x) a b # c\n c", ["abc"], ["a b c"]),
        (r"^\d+$", ["12", "٣٤"], ["1a", "½"]),
        (r"^\w+$", ["naïve_1", "नमस्ते", "e\u0301", "Ⅷ"], ["a b", "½", ""]),
        (r"^\s+$", [" \t\u00a0\u2003"], ["\x1c", "a"]),
        (r"^\D\W\S$", ["a-b"], ["1-b", "aab", "a- "]),
        (r"\bfuß\b", ["ein fuß.", "fuß"], ["füßfuß", "fußé", "xfuß"]),
        (r"\Béa\B", ["xéax"], ["éa", " éax"]),
        (r"\B", ["", "--", "aa"], ["a-a", "é—é"]),
        (r"(?:\b)*\b\bé", ["é"], ["aé"]),
        ("^[a-cx-z]+$", ["abcxyz"], ["d"]),
        ("^[^a-c]+$", ["d\n"], ["a"]),
        ("^[]a-]+$", ["]a-"], ["b"]),
        ("^[^]]$", ["a"], ["]"]),
        (r"^[\w&&[^\d_]]+$", ["aé"], ["a1", "_"]),
        ("^[a-z--[aeiou]]+$", ["bcd"], ["abc"]),
        ("^[ab~~bc]+$", ["ac"], ["b"]),
        ("^[[:alpha:][:^ascii:]]+$", ["abé"], ["1"]),
        ("(?i)^[^a]$", ["b"], ["A", "a"]),
        (r"^\p{Lu}\p{Greek}\P{L}$", ["Aα1"], ["aα1", "Aa1"]),
        (r"^\p{Letter}\p{gc=Nd}\p{script=Cyrillic}$", ["a1я"], ["a1a"]),
        (r"^\x41\x{42}\u0043\U00000044\t\.\/\-$", ["ABCD\t./-"], []),
        ("^a{2}b{1,}c{0,2}$", ["aab", "aabbcc"], ["ab", "aabccc"]),
        ("^.{1,2500}$", ["x" * 2500], ["", "x" * 2501]),
        ("^(?:a{60}){30}$", ["a" * 1800], ["a" * 1799]),
        ("^(?P<n>a)(?<m>b)??$", ["ab", "a"], ["b"]),
        ("^(a|b|)*c+?$", ["abc", "c"], ["d"]),
        ("x**", ["", "xx"], []),
        ("^*", [""], []),
        ("]}", ["]}"], ["]"]),
        (r"^[\]\-\\]$", ["]", "-", "\\"], ["a"]),
        ("(?-u)^\\w$", ["a"], ["é"]),
        ("a\0b", ["a\0b"], ["ab"]),
    ],
)
def test_dialect(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [text for text in yes if not found(pattern, text)] == []
    assert [text for text in no if found(pattern, text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        *["(", ")", "(abc", "a)", "[a", "[]", "[^]", "*a", "a|*", "(?i)*", "{2}", "a{2", "a{x}"],
        *["a{3,1}", "a{,3}", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", r"(a)\1", r"\k", r"\Z", "\\"],
        *["(?P<n>a)(?P<n>b)", "(?P<>a)", "(?P<1>a)", "(?z)", "(?", "(?)", "(?i", "[z-a]"],
        *[
            r"[\d-z]",
            r"[\b]",
            r"\p{Nope}",
            r"\x{110000}",
            r"\xg1",
            r"\u12",
            "(?-u).",
            "a{1000}{999}",
        ],
        "(" * 300 + ")" * 300,
    ],
)
def test_what_the_dialect_refuses(pattern: str) -> None:
    verdict = check_regex(pattern, "text")
    assert verdict.variant == "Fail"
    assert str(verdict.payload).startswith(f"invalid regex `{pattern}`: ")


def test_the_message_shows_the_place() -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern("x(")
    assert str(caught.value) == "regex parse error:\n    x(\n     ^\nerror: unclosed group"


def test_a_pattern_learns_new_characters() -> None:
    pattern = compile_pattern(r"^\w+ [а-я]+$")
    assert [pattern.found_in(text) for text in ("a я", "é я", "漢字 яя", "a b", "! я")] == [
        *[True] * 3,
        *[False] * 2,
    ]


def test_patterns_that_ruin_backtracking_end_at_once() -> None:
    began = time.perf_counter()
    assert not found("(a*)*(a|aa)+$", "a" * 50_000 + "b")
    assert not found(r"^(\w+\s?)*$", "word " * 5_000 + "!")
    assert time.perf_counter() - began < 2


def test_patterns_may_tell_many_characters_apart() -> None:
    letters = "".join(chr(0x4E00 + number) for number in range(300))
    assert found(letters, f"x{letters}")
    assert not found(letters, letters[:-1])
    assert check_regex(rf"\b{letters}", letters).variant == "Fail"


def test_verdicts() -> None:
    assert check_regex("a", "cat") == PASS
    assert check_regex("^b", "cat").payload == "`cat` does not match /^b/"
    assert check_json('{"a": [1]}') == PASS
    assert check_json("not").payload == "not valid JSON: expected ident at line 1 column 2"


@given(st.text(), st.text())
def test_any_pattern_gives_a_verdict(pattern: str, subject: str) -> None:
    assert check_regex(pattern, subject).variant in ("Pass", "Fail")


PIECES = st.sampled_from(["a", "b", "é", ".", "[ab]", "[^b]", r"\b", r"\B", r"\w", r"\W", r"\s"])
PATTERNS = st.recursive(
    PIECES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})")
        | st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        )
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text(st.sampled_from("ab é \n-"), min_size=1, max_size=8))
def test_agreement_with_the_standard_library(pattern: str, subject: str) -> None:
    assert found(pattern, subject) == (re.search(pattern, subject) is not None)
