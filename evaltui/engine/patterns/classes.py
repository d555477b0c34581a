"""Bracketed classes: ranges, nested classes and the operators ``&& -- ~~``."""

from __future__ import annotations

import re
from typing import Final

from evaltui.engine.patterns import characters as chars
from evaltui.engine.patterns.characters import CharacterSet
from evaltui.engine.patterns.syntax import MAX_NESTING, Reader, read_escape

_POSIX: Final = re.compile(r"\[:(\^?)([a-z]+):\]")
_OPERATORS: Final = ("&&", "--", "~~")


def read_class(reader: Reader, depth: int = 0) -> CharacterSet:
    """The set that a class ``[...]`` holds; the reader stands at its bracket.

    Raises:
        PatternError: it is not closed, or a part of it is wrong.
    """
    start = reader.at
    if depth > MAX_NESTING:
        raise reader.error("exceed the maximum number of nested classes")
    reader.at += 1
    negative = reader.take("^")
    members = _content(reader, start, depth)
    if reader.flags.i:
        members = chars.any_case(members)
    return chars.negated(members) if negative else members


def _content(reader: Reader, start: int, depth: int) -> CharacterSet:
    items = _leading(reader)
    combined: CharacterSet | None = None
    operator = ""
    while True:
        reader.skip_space()
        if not reader.more:
            raise reader.error("unclosed character class", start)
        symbol = next((mark for mark in _OPERATORS if reader.take(mark)), None)
        if symbol is None and not reader.take("]"):
            items.append(_item(reader, start, depth))
            continue
        right = chars.union(items)
        combined = right if combined is None else chars.combined(operator, combined, right)
        if symbol is None:
            return combined
        operator, items = symbol, []


def _leading(reader: Reader) -> list[CharacterSet]:
    items: list[CharacterSet] = []
    reader.skip_space()
    while reader.take("-"):
        items.append(chars.one_of("-"))
        reader.skip_space()
    if not items and reader.take("]"):
        items.append(chars.one_of("]"))
    return items


def _item(reader: Reader, start: int, depth: int) -> CharacterSet:
    if reader.peek() == "[":
        found = _POSIX.match(reader.text, reader.at)
        members = chars.posix(found[2]) if found else None
        if found is None or members is None:
            return read_class(reader, depth + 1)
        reader.at = found.end()
        return chars.negated(members) if found[1] else members
    return _range(reader, start)


def _range(reader: Reader, start: int) -> CharacterSet:
    place = reader.at
    first = _single(reader, start)
    reader.skip_space()
    if reader.peek() != "-" or reader.peek(1) in ("]", "-"):
        return chars.one_of(first) if isinstance(first, str) else first
    reader.at += 1
    reader.skip_space()
    last = _single(reader, start)
    if not isinstance(first, str) or not isinstance(last, str):
        raise reader.error("invalid range boundary, must be a literal", place)
    if last < first:
        raise reader.error("invalid character class range, the start must be <= the end", place)
    return chars.between(first, last)


def _single(reader: Reader, start: int) -> str | CharacterSet:
    if not reader.more:
        raise reader.error("unclosed character class", start)
    if reader.peek() != "\\":
        return reader.next()
    if reader.peek(1) in ("A", "z", "b", "B"):
        raise reader.error("invalid escape sequence found in character class")
    return read_escape(reader)
