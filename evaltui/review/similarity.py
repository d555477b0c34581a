"""How alike two texts are, bounded so that a huge text cannot stall a run."""

from __future__ import annotations

import re

_CHARACTERS = 4_000
"""Texts up to this long are compared by character, longer ones by word."""
_WORDS = 20_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def alike(old: str, new: str) -> int:
    """Likeness in whole percent; 100 only for equal texts.

    Of very long texts the first 20,000 words are compared.
    """
    if old == new:
        return 100
    from rapidfuzz.distance import Indel

    if max(len(old), len(new)) <= _CHARACTERS:
        likeness = Indel.normalized_similarity(old, new)
    else:
        likeness = Indel.normalized_similarity(words(old, _WORDS), words(new, _WORDS))
    return min(99, int(likeness * 100))


def words(text: str, limit: int) -> list[str]:
    """The words, gaps and marks of a text in order, at most ``limit`` of them."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        found.append(match[0])
        if len(found) == limit:
            break
    return found
