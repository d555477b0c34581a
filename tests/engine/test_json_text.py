"""Reading JSON: numbers, limits, and the wording and places of errors."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.engine.json_strict import parse_strictly
from evaltui.engine.values import UNIT, JsonError, Value, display, equal, parse_json
from evaltui.ulx.depth import deep_recursion


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", UNIT),
        (" [1, 1.0, 1e3, true] ", [1, 1.0, 1000.0, True]),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 2.0**63),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ('{"a": 1, "a": null}', {"a": UNIT}),
        ('"\\ud83d\\ude00\\u00e9\\/\\n"', "😀é/\n"),
        ("0e99999999999", 0.0),
        ("1e-99999999999", 0.0),
    ],
)
def test_values(text: str, value: Value) -> None:
    for parse in (parse_json, parse_strictly):
        assert equal(parse(text), value)


def test_minus_zero_is_a_float() -> None:
    for parse in (parse_json, parse_strictly):
        found = parse("-0")
        assert isinstance(found, float)
        assert math.copysign(1, found) == -1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("\n ", "EOF while parsing a value at line 2 column 1"),
        ("not", "expected ident at line 1 column 2"),
        ("nul", "EOF while parsing a value at line 1 column 3"),
        ("NaN", "expected value at line 1 column 1"),
        ("\ufeff1", "expected value at line 1 column 1"),
        ("'a'", "expected value at line 1 column 1"),
        ("[1", "EOF while parsing a list at line 1 column 2"),
        ("[1,", "EOF while parsing a value at line 1 column 3"),
        ("[1,]", "trailing comma at line 1 column 4"),
        ("[1 2]", "expected `,` or `]` at line 1 column 4"),
        ("[,1]", "expected value at line 1 column 2"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ('{"a"', "EOF while parsing an object at line 1 column 4"),
        ('{"a" 1}', "expected `:` at line 1 column 6"),
        ('{"a":1,}', "trailing comma at line 1 column 8"),
        ('{"a":1 "b"}', "expected `,` or `}` at line 1 column 8"),
        ("{1:2}", "key must be a string at line 1 column 2"),
        ("1 x", "trailing characters at line 1 column 3"),
        ("01", "invalid number at line 1 column 2"),
        ("-", "EOF while parsing a value at line 1 column 1"),
        ("-x", "invalid number at line 1 column 2"),
        ("1.", "EOF while parsing a value at line 1 column 2"),
        ("1.x", "invalid number at line 1 column 3"),
        ("1e", "EOF while parsing a value at line 1 column 2"),
        ("1ex", "invalid number at line 1 column 3"),
        ("1e999", "number out of range at line 1 column 5"),
        ('"abc', "EOF while parsing a string at line 1 column 4"),
        ('"é', "EOF while parsing a string at line 1 column 3"),
        ('"\\x"', "invalid escape at line 1 column 3"),
        ('"\\u12"', "EOF while parsing a string at line 1 column 6"),
        ('"\\uzzzz"', "invalid escape at line 1 column 7"),
        ('"\\ud800"', "unexpected end of hex escape at line 1 column 8"),
        ('"\\udc00"', "lone leading surrogate in hex escape at line 1 column 7"),
        (
            '"a\tb"',
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 3",
        ),
        ("[" * 128, "recursion limit exceeded at line 1 column 128"),
    ],
)
def test_errors_name_the_place(text: str, message: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(text)
    assert str(caught.value) == message


def test_depth_limit() -> None:
    deep = "[" * 127 + "]" * 127
    assert display(parse_json(deep)) == deep
    with pytest.raises(JsonError, match="recursion limit exceeded"):
        parse_json(f"[{deep}]")
    with deep_recursion(10**6), pytest.raises(JsonError, match="recursion limit exceeded"):
        parse_json("[" * 1_000_000)
    wide = "[" + ",".join(['{"a[{": [1]}'] * 500) + "]"
    assert isinstance(parse_json(wide), list)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.booleans(), st.integers(0, 30), st.text(max_size=2))
def test_both_readers_agree(document: object, ascii_only: bool, cut: int, extra: str) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    for candidate in (text, text[:cut], text[:cut] + extra + text[cut:]):
        outcomes = []
        for parse in (parse_json, parse_strictly):
            try:
                outcomes.append(repr(parse(candidate)))
            except JsonError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
