"""Two texts side by side: lines aligned, changed words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from evaltui.review.spans import Line, Role, Span, safe_lines

_TOKENS = re.compile(r"\w[\w\u0300-\u036f]*|\s+|[^\w\s]")
_PHRASES = re.compile(r"\w[\w\u0300-\u036f]*\s*|\s+|[^\w\s]\s*")
_LONG = 20_000
"""Lines of more characters are compared with spaces kept on the words before them."""
_ALIKE = 0.3
"""Lines with a smaller share of common words are shown as one gone and one new."""


class Row(Struct, frozen=True):
    """A line of a paired view; a side is None where it has nothing to set beside the other."""

    left: Line | None
    right: Line | None
    changed: bool = False


def diff_texts(old: str, new: str) -> list[Row]:
    """Align two texts by line, then mark words within lines that changed."""
    from rapidfuzz.distance import Indel

    left, right = safe_lines(old), safe_lines(new)
    rows: list[Row] = []
    for code in Indel.opcodes(left, right):
        before = left[code.src_start : code.src_end]
        if code.tag == "equal":
            rows.extend(Row((Span(text),), (Span(text),)) for text in before)
        else:
            after = right[code.dest_start : code.dest_end]
            rows.append(Row(tuple(map(Span, before)), tuple(map(Span, after)), True))
    return list(_paired(rows))


def diff_words(old: str, new: str) -> tuple[Line, Line]:
    """Two safe lines with the words that differ marked on each side."""
    from rapidfuzz.distance import Indel

    tokens = _PHRASES if max(len(old), len(new)) > _LONG else _TOKENS
    left, right = tokens.findall(old), tokens.findall(new)
    codes = list(Indel.opcodes(left, right))
    common = sum(
        _words(left[code.src_start : code.src_end]) for code in codes if code.tag == "equal"
    )
    if 2 * common < _ALIKE * (_words(left) + _words(right)):
        return (Span(old, Role.OLD_WORD),), (Span(new, Role.NEW_WORD),)
    before: list[Span] = []
    after: list[Span] = []
    for code in codes:
        same = code.tag == "equal"
        if gone := "".join(left[code.src_start : code.src_end]):
            before.append(Span(gone, Role.OLD if same else Role.OLD_WORD))
        if come := "".join(right[code.dest_start : code.dest_end]):
            after.append(Span(come, Role.NEW if same else Role.NEW_WORD))
    return tuple(before), tuple(after)


def _words(tokens: list[str]) -> int:
    return sum(not token.isspace() for token in tokens)


def _paired(rows: list[Row]) -> Iterator[Row]:
    """Turn neighbouring runs of gone and new lines into pairs, word by word."""
    gone: list[str] = []
    come: list[str] = []
    for row in rows:
        if row.changed:
            gone.extend(span.text for span in row.left or ())
            come.extend(span.text for span in row.right or ())
            continue
        yield from _changed_rows(gone, come)
        gone, come = [], []
        yield row
    yield from _changed_rows(gone, come)


def _changed_rows(gone: list[str], come: list[str]) -> Iterator[Row]:
    both = min(len(gone), len(come))
    for old, new in zip(gone[:both], come[:both], strict=True):
        yield Row(*diff_words(old, new), changed=True)
    for text in gone[both:]:
        yield Row((Span(text, Role.OLD_WORD),), None, True)
    for text in come[both:]:
        yield Row(None, (Span(text, Role.NEW_WORD),), True)
