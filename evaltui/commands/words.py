"""The words that a user types, and the one line that says what is wrong with them."""

from __future__ import annotations

import os
import sys
from typing import Final

from evaltui.errors import UsageError

_LONGEST: Final = 1000


def argument_text(word: str) -> str:
    """A word of the command line, whatever the locale made of its bytes.

    Raises:
        UsageError: it is not UTF-8.
    """
    if word.isascii():
        return word
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        raise UsageError(f"the argument {word!r} is not UTF-8") from None


def complain(message: str) -> None:
    """Print ``message`` as an error: one line, of bounded length, with nothing hidden in it."""
    from evaltui.text import one_line

    print(f"evaltui: error: {one_line(' '.join(message.split()), _LONGEST)}", file=sys.stderr)
