"""What the policy calls a secret, found and removed."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.errors import ConfigurationError
from evaltui.policy_file import parse_policy
from evaltui.redaction import SecretScanner
from evaltui.secret_patterns import SecretPattern

EXPRESSIONS = [r"a+", r"[0-9]{2,}", r"b|é", r"(?i)A1", r"^a", r"(?<=a)b", "\ufffd"]
TEXTS = st.text(st.characters() | st.sampled_from("ab1\n\ud800é😀"))


@given(
    TEXTS, st.sampled_from([r"a+", r"[0-9]{2,}", r"b|é", r"(?i)A1", r"^a", r"(?<=a)b", "\ufffd"])
)
def test_texts_are_redacted_as_python_would(text: str, expression: str) -> None:
    pattern = SecretPattern(expression)
    plain = re.sub("[\ud800-\udfff]", "\ufffd", text)
    spans = [match.span() for match in re.finditer(expression, plain)]
    wanted, after = "", 0
    for start, end in spans:
        wanted, after = wanted + text[after:start] + "*", end
    assert pattern.redacted(text, "*") == wanted + text[after:]
    assert pattern.occurs(text) is bool(spans)


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|aa)*b", "(.*)*x"])
def test_no_reply_makes_the_search_stand_still(expression: str) -> None:
    scanner = SecretScanner([f"k{expression}"], {})
    text = "k" + "a" * 50_000 + "!"
    began = time.monotonic()
    assert scanner.find(text) is None
    assert scanner.clean(text) is text
    assert scanner.clean_bytes(text.encode()) == text.encode()
    assert time.monotonic() - began < 5


def test_what_only_python_knows_is_searched_for_too() -> None:
    scanner = SecretScanner([r"(?<=key=)\w+"], {})
    assert scanner.clean("key=abc") == "key=[redacted]"
    assert scanner.find("key=abc") == "what the pattern '(?<=key=)\\\\w+' forbids"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(", "must be a regular expression"),
        ("", "matches the empty text"),
        ("a*", "matches the empty text"),
        ("a{1,99999999999}", "must be a regular expression"),
    ],
)
def test_what_is_no_pattern_is_refused_with_its_place(expression: str, message: str) -> None:
    text = f"[redaction]\npatterns = ['{expression}']\n"
    with pytest.raises(ConfigurationError, match=rf"x:2: `redaction\.patterns\.0` {message}"):
        parse_policy(text, "x")
