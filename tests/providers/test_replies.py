"""Bodies, error texts, prices and secrets."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from decimal import Decimal

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from evaltui.providers.base import ProviderFailure
from evaltui.providers.decoding import Undecodable, decoded
from evaltui.providers.json_reply import at, count_at, error_json, error_text, parse_reply
from evaltui.providers.pricing import Price, price_table
from evaltui.redaction import SecretScanner

LIMIT = 1000


@given(st.binary(max_size=LIMIT))
def test_every_coding_is_undone(content: bytes) -> None:
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(content),
        "deflate": zlib.compress(content),
        "zstd": zstandard.ZstdCompressor().compress(content),
        "gzip, zstd": zstandard.ZstdCompressor().compress(gzip.compress(content)),
        "identity": content,
    }
    for coding, body in packed.items():
        assert decoded(body, coding, LIMIT * 2) == content
    assert decoded(bare.compress(content) + bare.flush(), "deflate", LIMIT) == content


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
def test_what_grows_too_large_is_refused_early(coding: str) -> None:
    content = b"x" * (LIMIT + 1)
    pack: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    with pytest.raises(Undecodable) as caught:
        decoded(pack[coding](content), coding, LIMIT)
    assert caught.value.too_large


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"plain", "gzip"),
        (gzip.compress(b"x" * 99, mtime=0)[:-9], "gzip"),
        (b"plain", "deflate"),
        (b"plain", "zstd"),
        (b"plain", "br"),
    ],
)
def test_what_is_not_what_it_says(body: bytes, coding: str) -> None:
    with pytest.raises(Undecodable) as caught:
        decoded(body, coding, LIMIT)
    assert not caught.value.too_large


@given(st.binary(max_size=200))
def test_any_body_is_json_or_malformed(body: bytes) -> None:
    try:
        parse_reply(body, strict=True)
    except ProviderFailure as failure:
        assert (failure.failure_class, failure.kind) == ("malformed", "not_json")
    error_text(body)
    json.loads(error_json(body))


def test_parts_of_documents() -> None:
    document = {"a": [{"b": 1}], "n": True, "m": -1}
    assert at(document, "a", 0, "b") == 1
    assert at(document, "a", 1, "b") is None
    assert at(document, "a", "b") is None
    assert at(document, 0) is None
    assert [count_at(document, name) for name in ("n", "m", "x")] == [None, None, None]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"detail": {"error_type": "x", "message": "bad key"}}', "bad key"),
        ('{"detail": {"error_type": "max_tokens_exceeded", "message": ""}}', "max_tokens_exceeded"),
        (
            '{"detail": [{"loc": ["body", "state"], "msg": "is null", "input": "SECRET"}]}',
            "body.state: is null",
        ),
        ('{"detail": "wrong"}', "wrong"),
        ('{"error": "wrong"}', "wrong"),
        ('{"error": {"message": "a\\n  b"}}', "a b"),
        ('{"message": "top"}', "top"),
        ('{"other": 1}', '{"other": 1}'),
        ("<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"),
        ("", ""),
    ],
)
def test_error_texts_of_all_shapes(body: str, text: str) -> None:
    assert error_text(body.encode()) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"error": {"message": "bad key"}}', '"bad key"'),
        ('{"error": {"code": 1}}', '{"code":1}'),
        ('{"error": "x"}', '"x"'),
        ('{"b": 1, "a": 2}', '{"a":2,"b":1}'),
        ("<html>", "null"),
    ],
)
def test_error_texts_of_the_reference(body: str, text: str) -> None:
    assert error_json(body.encode()) == text


# Prices.


def test_prices_are_dated_and_never_guessed() -> None:
    table = price_table()
    assert table.date == "2025-06-30"
    price = table.price("openai", "gpt-4o-mini-2024-07-18")
    assert price == Price(Decimal("0.15"), Decimal("0.60"))
    assert price.cost(1000, 500) == Decimal("0.00045")
    assert price.cost(None, 5) is None
    assert price.cost(5, None) is None
    assert table.price("openai", None, "brand-new") is None
    assert table.price("ollama", "llama3") is None
    assert table.price("anthropic", "claude-sonnet-4-20250514") is not None


def test_the_model_that_answered_has_the_price() -> None:
    price = price_table().price("openai", "gpt-4o-2024-08-06", "gpt-4o-mini")
    assert price == Price(Decimal("2.50"), Decimal("10.00"))


# Secrets.


def test_values_of_key_variables_are_found_in_every_spelling() -> None:
    key = 'sk-"quoted"/\\+é'
    scanner = SecretScanner((), {"MY_API_KEY": key, "HOME": "/home/someone", "A_TOKEN": "short"})
    scanner.learn({"SOME_TOKEN": "disabled", "TOKEN_PATH": "/home/someone/token"})
    spellings = [
        key,
        json.dumps(key),
        json.dumps(json.dumps(key)),
        "sk-%22quoted%22%2F%5C%2B%C3%A9",
    ]
    for text in spellings:
        assert scanner.find(f"before {text} after") == "the value of MY_API_KEY"
        assert "quoted" not in scanner.clean(text)
        assert b"quoted" not in scanner.clean_bytes(text.encode())
    assert scanner.find("/home/someone/token is short or disabled") is None


def test_what_holds_no_secret_stays_the_same_object() -> None:
    scanner = SecretScanner([r"\d{16}"], {"MY_API_KEY": "sk-0123456789"})
    text, body = "harmless", b"\xff harmless"
    assert scanner.clean(text) is text
    assert scanner.clean_bytes(body) is body


def test_patterns_and_learned_keys() -> None:
    scanner = SecretScanner([r"\d{16}"], {})
    assert scanner.clean("card 4111111111111111") == "card [redacted]"
    assert scanner.clean_bytes(b"\xff4111111111111111") == b"\xff[redacted]"
    assert not scanner.knows_keys
    scanner.learn_key("ODD_NAME", "hunter2hunter2")
    assert scanner.clean("it is hunter2hunter2!") == "it is [redacted ODD_NAME]!"


def test_a_key_inside_another_does_not_save_the_longer_one() -> None:
    scanner = SecretScanner((), {"A_API_KEY": "sk-0123456789", "B_API_KEY": "sk-0123456789-tail"})
    assert scanner.clean("sk-0123456789-tail") == "[redacted B_API_KEY]"
