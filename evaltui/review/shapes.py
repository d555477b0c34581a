"""Digests of the shape of a change: cases that changed alike form one group.

Two changes have one shape when the same paths changed between the same kinds of value, or, for a
text, when the same words were replaced by the same words once numbers and ids are left out of
account.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from evaltui.review.similarity import words

_INDEX = re.compile(r"\[[^\[\]]*\]")
_ID = re.compile(
    r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{7,}"
    r"|\w*\d\w*)\b",
    re.IGNORECASE,
)
_TOKENS = 4_000


def shape_of(outlines: Iterable[str]) -> str:
    """The shape of a structural change; places in lists count as one place."""
    return _digest(sorted({_INDEX.sub("[]", outline) for outline in outlines}))


def text_shape(old: str, new: str) -> str:
    """The shape of a change of text."""
    from rapidfuzz.distance import Indel

    before, after = _tokens(old), _tokens(new)
    if max(len(before), len(after)) >= _TOKENS:
        return _digest(["long text"])
    hunks: list[str] = []
    for code in Indel.opcodes(before, after):
        if code.tag != "equal":
            gone = "".join(before[code.src_start : code.src_end])
            come = "".join(after[code.dest_start : code.dest_end])
            hunks.append(f"-{gone} +{come}")
    return _digest(hunks or ["numbers or ids"])


def reason_shape(*parts: str) -> str:
    """The shape of a red case that has no change: why it is red, numbers and ids left out."""
    return _digest([normalised(part) for part in parts])


def normalised(text: str) -> str:
    """``text`` with numbers and ids replaced by ``#``."""
    return _ID.sub("#", text[:2_000])


def _tokens(text: str) -> list[str]:
    spaced = _ID.sub("#", text[:100_000])
    return [token for token in words(spaced, _TOKENS) if not token.isspace()]


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
