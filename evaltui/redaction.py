"""Secrets: what counts as one, where a text holds one, and texts without them.

Secrets are the values of key variables and whatever the policy's patterns match. Values are looked
for as they are, as they stand in JSON, and as they stand in an address.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from evaltui.secret_patterns import SecretPattern

_KEY_VARIABLE: Final = re.compile(
    r".*(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ACCESS_KEY)", re.IGNORECASE
)
_SHORTEST: Final = 8
"""Shorter values of key variables would be found in harmless texts."""
_SHORTEST_WORD: Final = 20
"""A value of letters only that is shorter may be a word, such as ``disabled``."""

REDACTED: Final = "[redacted]"


def is_key_variable(name: str) -> bool:
    """Whether the variable of this name is taken to hold a secret."""
    return _KEY_VARIABLE.fullmatch(name) is not None


class SecretScanner:
    """Finds and removes secrets; more key variables may be added while it is in use."""

    def __init__(
        self, patterns: Iterable[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        self._patterns = _patterns(patterns)
        self._values: dict[str, str] = {}
        self._spellings: list[tuple[str, str]] = []
        self._bytes: list[tuple[bytes, bytes]] = []
        self.learn(os.environ if environment is None else environment)

    def learn(self, environment: Mapping[str, str]) -> None:
        """Take the values of the key variables in ``environment`` for secrets, words apart."""
        for name, value in environment.items():
            word = value.isalpha() and len(value) < _SHORTEST_WORD
            if is_key_variable(name) and not word:
                self.learn_key(name, value)

    def learn_key(self, name: str, value: str) -> None:
        """Take ``value``, held by the variable ``name``, for a secret; very short ones are not."""
        if len(value) < _SHORTEST or self._values.get(name) == value:
            return
        self._values[name] = value
        known = {text for _, text in self._spellings}
        new = [text for text in _spellings(value) if text not in known]
        self._spellings += [(name, text) for text in new]
        # A key may contain another: the longer ones go first.
        self._spellings.sort(key=lambda pair: -len(pair[1]))
        self._bytes = [
            (text.encode("utf-8", "surrogatepass"), _mark(name).encode())
            for name, text in self._spellings
        ]

    @property
    def knows_keys(self) -> bool:
        """Whether any key variable is set."""
        return bool(self._spellings)

    def find(self, text: str) -> str | None:
        """What kind of secret ``text`` holds, never the secret itself; None when there is none."""
        name = self.find_key(text)
        if name is not None:
            return f"the value of {name}"
        for pattern in self._patterns:
            if pattern.occurs(text):
                return f"what the pattern {pattern.expression!r} forbids"
        return None

    def find_key(self, text: str) -> str | None:
        """The variable whose value ``text`` holds."""
        for name, spelling in self._spellings:
            if spelling in text:
                return name
        return None

    def clean(self, text: str) -> str:
        """``text`` with every secret replaced; the same object when there is none."""
        cleaned = self.clean_keys(text)
        for pattern in self._patterns:
            cleaned = pattern.redacted(cleaned, REDACTED)
        return cleaned

    def clean_keys(self, text: str) -> str:
        """``text`` with every value of a key variable replaced."""
        for name, spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, _mark(name))
        return text

    def clean_bytes(self, body: bytes) -> bytes:
        """A body with every secret replaced; the same object when there is none.

        Bytes that are not UTF-8 are kept where they are not part of a secret.
        """
        cleaned = body
        for spelling, mark in self._bytes:
            if spelling in cleaned:
                cleaned = cleaned.replace(spelling, mark)
        if not self._patterns:
            return cleaned
        text = cleaned.decode("utf-8", "surrogateescape")
        without = text
        for pattern in self._patterns:
            without = pattern.redacted(without, REDACTED)
        return cleaned if without == text else without.encode("utf-8", "surrogateescape")


def _patterns(expressions: Iterable[str]) -> list[SecretPattern]:
    wanted = list(expressions)
    if not wanted:
        return []
    from evaltui.secret_patterns import SecretPattern

    return [SecretPattern(expression) for expression in wanted]


def _mark(name: str) -> str:
    return f"[redacted {name}]"


def _spellings(value: str) -> list[str]:
    once = json.dumps(value)[1:-1]
    raw = json.dumps(value, ensure_ascii=False)[1:-1]
    twice = json.dumps(once)[1:-1]
    found = [value, raw, once, twice, quote(value, safe=""), quote_plus(value)]
    return list(dict.fromkeys(found))
