"""Values: equality, truth, and every way to write one down."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.engine.values import (
    ESCALATE,
    PASS,
    RATE_LIMITED,
    TIMEOUT,
    UNIT,
    JsonError,
    Value,
    content_hash,
    display,
    equal,
    fail,
    json_float,
    natural,
    pretty_tagged,
    quote,
    quote_list,
    refused,
    score,
    score_float,
    tagged,
    truthy,
    untagged,
)

SPECIAL: list[Value] = [PASS, ESCALATE, fail("why"), score(0.5), TIMEOUT, RATE_LIMITED, UNIT]
LEAVES = (
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.sampled_from(SPECIAL)
    | st.text(st.characters(exclude_categories=["Cs"])).map(refused)
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "digest"),
    [
        ("hi", "dbf0094d373385155c2a1e5eee14055040642f22f8a6d926e01729ffee6cfa41"),
        (3, "de6c8faac740c5e415cbde4b15c52b68cf15eb2fc804f5140def95a7d32d79a5"),
        (2.0, "312c7f97e0d72e6494ac2a17fad15ba8a10c695254a5e050f88a752c0da85c81"),
        (True, "80e76bfb4fb21b9a987d6f287fd376a657bac4350bcbb4f2b56d42634846b29b"),
        (UNIT, "be578747f9d8249fa2dc7afe2cd824f0dc3d516a6345f270330aeea1aa091fed"),
        ([1, "hi"], "f4cbf61d705898cf73db5467b54d7c3492035a91510cd622b8b95a16fdf63ef3"),
        ({"a": UNIT}, "d62d690bd86d7e48f21e0dd34919a3b801c65eab9a49a620ea392e5e104b04d2"),
        (PASS, "d5cc4a7483377853e690df445d571d7616ae6613e86f88ee88d08deda24b0db4"),
        (score(0.5), "9c0baf0885bd2f441c609850e4992938f4f82615de4900206e474ade98ac64c3"),
        (TIMEOUT, "a5fc7b678d19e8847c920a53a146e24dedd3cfde3e0f35a4c218e1045d4a68fd"),
    ],
)
def test_content_hash_is_stable_across_implementations(value: Value, digest: str) -> None:
    assert content_hash(value) == digest


@pytest.mark.parametrize(
    ("number", "shown", "stored", "scored"),
    [
        (2.0, "2", "2.0", "2.0"),
        (1e-5, "0.00001", "0.00001", "1e-5"),
        (-1e-5, "-0.00001", "-0.00001", "-1e-5"),
        (1.25e-5, "0.0000125", "0.0000125", "1.25e-5"),
        (1.25e-7, "0.000000125", "1.25e-7", "1.25e-7"),
        (1e15, "1000000000000000", "1000000000000000.0", "1000000000000000.0"),
        (1e16, "10000000000000000", "1e+16", "1e16"),
        (1.5e16, "15000000000000000", "1.5e+16", "1.5e16"),
        (2e21, "2000000000000000000000", "2e+21", "2e21"),
        (1e-6, "0.000001", "1e-6", "1e-6"),
        (0.0001, "0.0001", "0.0001", "0.0001"),
        (-0.0, "-0", "-0.0", "-0.0"),
        (math.inf, "inf", "null", "inf"),
        (-math.inf, "-inf", "null", "-inf"),
        (-math.nan, "NaN", "null", "NaN"),
    ],
)
def test_floats_have_three_forms(number: float, shown: str, stored: str, scored: str) -> None:
    assert (display(number), json_float(number), score_float(number)) == (shown, stored, scored)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_form_reads_back(number: float) -> None:
    for text in (display(number), json_float(number), score_float(number)):
        assert float(text) == number
        assert math.copysign(1, float(text)) == math.copysign(1, number)
    assert "e" not in display(number)


@given(VALUES)
def test_tagged_json_round_trips(value: Value) -> None:
    for text in (tagged(value), pretty_tagged(value)):
        assert equal(untagged(text), value)
        assert tagged(untagged(text)) == tagged(value)


@given(VALUES, VALUES)
def test_equality_agrees_with_the_stored_form(left: Value, right: Value) -> None:
    same = tagged(left).replace("-0.0", "0.0") == tagged(right).replace("-0.0", "0.0")
    assert equal(left, right) == same or "-0.0" in tagged(left) + tagged(right)
    assert equal(left, left)


def test_equality_is_strict_about_the_variant() -> None:
    ones: list[Value] = [1, 1.0, True, "1", score(1.0), [1], {"a": 1}]
    assert not any(equal(a, b) for a, b in pairwise(ones))
    assert not equal([1], [1.0])
    assert not equal({"a": 1}, {"a": True})
    assert equal(-0.0, 0.0)
    assert not equal(math.nan, math.nan)
    assert not equal(score(math.nan), score(math.nan))
    assert not equal([math.nan], [math.nan])
    assert equal({"a": 1, "b": 2}, {"b": 2, "a": 1})


def test_only_empty_and_zero_things_are_false() -> None:
    falsy: list[Value] = [False, 0, 0.0, -0.0, "", [], UNIT]
    true: list[Value] = [True, -1, math.nan, " ", [0], {}, fail(""), ESCALATE, TIMEOUT]
    assert not any(map(truthy, falsy))
    assert all(map(truthy, true))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["a", 1, 2.0, True, UNIT], "[a, 1, 2, true, ()]"),
        ({"b": [], "a": {}}, "{a: {}, b: []}"),
        (
            [PASS, ESCALATE, fail('a "b"'), score(1)],
            '[Pass, Escalate, Fail("a \\"b\\""), Score(1.0)]',
        ),
        (refused("no"), '<unsettled: Refused("no")>'),
        (TIMEOUT, "<unsettled: Timeout>"),
        (RATE_LIMITED, "<unsettled: RateLimited>"),
    ],
)
def test_display(value: Value, shown: str) -> None:
    assert display(value) == shown


def test_quoting_shows_what_cannot_be_seen() -> None:
    assert quote("a'b\\\n\r\t\0") == '"a\'b\\\\\\n\\r\\t\\0"'
    assert quote("\x1b\u00a0\u200b\u0301é漢") == '"\\u{1b}\\u{a0}\\u{200b}\\u{301}é漢"'
    assert quote_list(["a", "b"]) == '["a", "b"]'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (fail("why"), '{"reason":"why","verdict":"fail"}'),
        (score(0.5), '{"score":0.5,"verdict":"score"}'),
        (PASS, '{"verdict":"pass"}'),
        (refused("no"), '{"reason":"no","unsettled":"refused"}'),
        (RATE_LIMITED, '{"unsettled":"rate_limited"}'),
        ({"b": UNIT, "a": [math.nan, "é\x01"]}, '{"a":[null,"é\\u0001"],"b":null}'),
    ],
)
def test_natural_json(value: Value, text: str) -> None:
    assert natural(value) == text


def test_pretty_form() -> None:
    value: Value = {"k": [fail("x:y"), UNIT], "e": []}
    assert pretty_tagged(value).splitlines() == [
        "{",
        '  "kind": "Record",',
        '  "value": {',
        '    "e": {',
        '      "kind": "List",',
        '      "value": []',
        "    },",
        '    "k": {',
        '      "kind": "List",',
        '      "value": [',
        "        {",
        '          "kind": "Verdict",',
        '          "value": {',
        '            "Fail": "x:y"',
        "          }",
        "        },",
        "        {",
        '          "kind": "Unit"',
        "        }",
        "      ]",
        "    }",
        "  }",
        "}",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "{}",
        '{"kind":"Text"}',
        '{"kind":"Text","value":1}',
        '{"kind":"Float","value":null}',
        '{"kind":"Verdict","value":"Fail"}',
        '{"kind":"Verdict","value":{"Pass":1}}',
        '{"kind":"Nope","value":1}',
        '{"kind":"Int","value":1.5}',
    ],
)
def test_what_is_no_tagged_value_is_refused(text: str) -> None:
    with pytest.raises(JsonError):
        untagged(text)


def test_members_of_tagged_json_may_stand_in_either_order() -> None:
    assert untagged('{"value":{"Score":1},"kind":"Verdict"}') == score(1.0)
