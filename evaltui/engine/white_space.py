"""White space as the reference trims it."""

from __future__ import annotations

from typing import Final

WHITE_SPACE: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space; ``str.strip`` alone would also take U+001C to U+001F."""


def trimmed(text: str) -> str:
    """``text`` without white space at its ends."""
    return text.strip(WHITE_SPACE)
