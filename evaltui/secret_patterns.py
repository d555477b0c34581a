"""Expressions of the policy that say what a secret looks like, searched for in text of models.

RE2 does the searching, in time that grows with the text alone: no reply can make it stand still.
What RE2 does not know, such as look-around, is left to Python's own engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_SURROGATES: Final = re.compile("[\ud800-\udfff]")


class SecretPattern:
    """One expression.

    Raises:
        ValueError: it is none, or it matches the empty text and with it everything.
    """

    def __init__(self, expression: str) -> None:
        self.expression = expression
        try:
            by_python = re.compile(expression)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"must be a regular expression: {error}") from None
        if by_python.search(""):
            raise ValueError("matches the empty text, and with it everything")
        self._compiled = _linear(expression) or by_python

    def occurs(self, text: str) -> bool:
        """Whether there is such a secret in ``text``."""
        return self._compiled.search(_whole(text)) is not None

    def redacted(self, text: str, mark: str) -> str:
        """``text`` with every such secret replaced; the same object when there is none."""
        parts: list[str] = []
        after = 0
        for start, end in self._spans(text):
            parts += text[after:start], mark
            after = end
        return "".join((*parts, text[after:])) if parts else text

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for match in self._compiled.finditer(_whole(text)):
            if match.end() > match.start():
                yield match.span()


def _linear(expression: str) -> Any:  # noqa: ANN401 - the library has no types
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error:
        return None


def _whole(text: str) -> str:
    """``text``, as long as before, without the lone surrogates that RE2 cannot read."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)
