"""The one place that talks to RE2."""

from __future__ import annotations

from typing import Final, Protocol

_MEMORY: Final = 128 * 2**20


class Searcher(Protocol):
    """A compiled expression."""

    def search(self, text: str) -> object | None:
        """A match anywhere in ``text``, or None."""
        ...

    def fullmatch(self, text: str) -> object | None:
        """A match of all of ``text``, or None."""
        ...


class NotLinear(ValueError):
    """RE2 does not take the expression."""


def linear(expression: str) -> Searcher:
    """Compile an expression in RE2's own syntax, without captures.

    Raises:
        NotLinear: it is malformed or too big.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    try:
        compiled: Searcher = re2.compile(expression, options)
    except re2.error as error:
        raise NotLinear(str(error)) from error
    return compiled
