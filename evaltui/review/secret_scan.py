"""Finds secrets in values before they become part of version control."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

_KEY_VARIABLE = re.compile(r".*(_API_KEY|_TOKEN|_SECRET)", re.IGNORECASE)
_SHORTEST = 8
"""Shorter values of key variables would be found in harmless texts."""


class SecretScanner:
    """Looks for the policy's patterns and for the values of key variables."""

    def __init__(
        self, patterns: Iterable[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        values = os.environ if environment is None else environment
        self._values = {
            name: value
            for name, value in values.items()
            if _KEY_VARIABLE.fullmatch(name) and len(value) >= _SHORTEST
        }

    def find(self, text: str) -> str | None:
        """What kind of secret ``text`` holds, never the secret itself; None when there is none."""
        for name, value in self._values.items():
            if value in text:
                return f"the value of {name}"
        for pattern in self._patterns:
            if pattern.search(text):
                return f"what the pattern {pattern.pattern!r} forbids"
        return None
