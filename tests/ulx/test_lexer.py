"""Tokens of a source (language specification 1)."""

from __future__ import annotations

import pytest

from evaltui.ulx.lexer import DEPTH_MESSAGE, to_bytes, tokenize
from evaltui.ulx.syntax_error import UlxSyntaxError


def kinds(source: str) -> list[str]:
    return tokenize(to_bytes(source)).kinds[:-1]


def values(source: str) -> list[str | int | float]:
    return tokenize(to_bytes(source)).values[:-1]


def error(source: str) -> UlxSyntaxError:
    with pytest.raises(UlxSyntaxError) as caught:
        tokenize(to_bytes(source))
    return caught.value


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1.", ["int", "."]),
        (".5", [".", "int"]),
        ("1.5.2", ["float", ".", "int"]),
        ("1e5", ["int", "ident"]),
        ("123abc", ["int", "ident"]),
        ("a-1", ["ident", "-", "int"]),
        ("-->", ["-", "->"]),
        ("==>", ["==", ">"]),
        (">>=", [">", ">="]),
        ("||", ["|", "|"]),
        ("a /* x */ b // c\n/// d\n////e", ["ident", "ident"]),
        ("/** x */ /*****/ /* a * b */ /* x **/ a", ["ident"]),
        ("@a.txt//note", ["path"]),
        ("@a.txt/*x*/", ["path", "*", "ident", "*", "/"]),
        ("@a:b", ["path", ":", "ident"]),
        ('"" "x"', ["string", "string"]),
        ('""""a"""', ["text"]),
        ("a\r\n\f\tb", ["ident", "ident"]),
    ],
)
def test_the_longest_token_wins(source: str, expected: list[str]) -> None:
    assert kinds(source) == expected


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("007", 7),
        ("9223372036854775807", 9223372036854775807),
        ("2.50", 2.5),
        (f"{'9' * 400}.0", float("inf")),
        (r'"a\n\t\"\\\q\u0041\0\{"', 'a\n\t"\\qu00410{'),
        ('"é\\é"', "éé"),
        ('"two\nlines"', "two\nlines"),
        (r'"""a\\b"""', r"a\b"),
        ('"""a\\\nb\\"""', "a\nb"),
        ("@./p-1_x/y.txt", "./p-1_x/y.txt"),
    ],
)
def test_values_are_decoded(source: str, value: str | int | float) -> None:
    assert values(source) == [value]


@pytest.mark.parametrize(
    ("source", "span"),
    [
        ("a ;", (2, 3)),
        ("é", (0, 2)),
        ("a 🙂", (2, 6)),
        ("\ufeffa", (0, 3)),
        ("a\xa0b", (1, 3)),
        ("@ x", (0, 1)),
        ('x "abc', (2, 6)),
        ('"a\\\nb"', (0, 2)),
        ('"""abc"', (0, 3)),
        ('"""say \\"hi\\""""', (15, 16)),
        ("/* x", (0, 4)),
        ("/*** x */", (0, 4)),
        ("/* ** */", (0, 5)),
    ],
)
def test_the_first_bad_token_is_located(source: str, span: tuple[int, int]) -> None:
    assert (error(source).span, error(source).custom) == (span, "unrecognized character")


def test_an_integer_has_to_fit_in_64_bits() -> None:
    too_large = error("x 9223372036854775808")
    assert too_large.span == (2, 21)
    assert too_large.custom == (
        "integer literal `9223372036854775808` is too large to fit in a 64-bit integer"
    )


def test_a_huge_integer_is_an_error_and_not_a_crash() -> None:
    assert "too large" in str(error("9" * 10_000))


def test_nesting_deeper_than_1000_is_refused_at_the_opening_token() -> None:
    assert len(kinds("(" * 1000)) == 1000
    assert (error("({[" * 400).span, error("({[" * 400).custom) == ((1000, 1001), DEPTH_MESSAGE)


def test_closing_tokens_never_count_below_zero() -> None:
    assert len(kinds(")" * 5000 + "(" * 1000)) == 6000
