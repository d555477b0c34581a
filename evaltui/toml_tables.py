"""Reading the tables of a TOML document: members by kind, mistakes with their keys and lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from evaltui.decimals import decimal_of
from evaltui.errors import ConfigurationError

Keys = tuple[str | int, ...]

_PLACE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)


class Mistake(Struct, frozen=True):
    """What is wrong with the value at ``keys``."""

    keys: Keys
    message: str
    hint: str | None = None


class Table:
    """One table of a document. Every mistake is noted; in place of a wrong member stands a default.

    ``known`` are the keys it may have, None for any; ``mistakes`` is shared by the whole document.
    """

    def __init__(
        self,
        members: Mapping[str, object],
        keys: Keys,
        known: Sequence[str] | None,
        mistakes: list[Mistake],
    ) -> None:
        self._members = members
        self._keys = keys
        self._mistakes = mistakes
        self._clean = len(mistakes)
        for key in members:
            if known is not None and key not in known:
                name = ".".join(map(str, (*keys, key)))
                self._note((*keys, key), f"unknown key `{name}`", _nearest(key, known))

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __contains__(self, key: str) -> bool:
        return key in self._members

    @property
    def mistaken(self) -> bool:
        """Whether something in this table, or read after it, is wrong."""
        return len(self._mistakes) > self._clean

    def refuse(self, message: str, *keys: str | int) -> None:
        """Note that the member at ``keys``, or the table itself, is wrong."""
        name = ".".join(map(str, (*self._keys, *keys)))
        self._note((*self._keys, *keys), f"`{name}` {message}")

    def need(self, key: str) -> None:
        """Note a mistake when ``key`` is missing."""
        if key not in self._members:
            name = ".".join(map(str, self._keys))
            self._note((*self._keys, key), f"`{name}` has no `{key}`")

    def table(self, key: str, known: Sequence[str] | None = None) -> Table:
        """The table at ``key``, empty when absent."""
        members = self._members.get(key, {})
        if not isinstance(members, dict):
            self.expect("a table", key)
            members = {}
        return Table(members, (*self._keys, key), known, self._mistakes)

    def tables(self, known: Sequence[str]) -> Iterator[tuple[str, Table]]:
        """All members, each of them a table with the ``known`` keys."""
        return ((key, self.table(key, known)) for key in self._members)

    def raw(self, key: str) -> object:
        """The member as it is, None when absent."""
        return self._members.get(key)

    def text(self, key: str) -> str | None:
        """A text that is not empty."""
        value = self._members.get(key)
        if isinstance(value, str) and value:
            return value
        if value is not None:
            empty = " that is not empty" if value == "" else ""
            self.expect(f"a text{empty}", key)
        return None

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._members.get(key, default)
        if isinstance(value, bool):
            return value
        self.expect("true or false", key)
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        items = self._members.get(key, [])
        if not isinstance(items, list):
            self.expect("a list", key)
            return ()
        for place, item in enumerate(items):
            if not isinstance(item, str):
                self.refuse(f"must be a text, not {_shown(item)}", key, place)
        return tuple(str(item) for item in items)

    def whole(self, key: str, low: int, high: int | None = None) -> int | None:
        """A whole number from ``low`` to ``high``."""
        value = self._members.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            self.expect("a whole number", key)
            return None
        return int(value) if self._between(key, Decimal(value), low, high) else None

    def number(
        self, key: str, low: int = 0, high: int | None = None, *, above: bool = False
    ) -> Decimal | None:
        """A number, or a text that is one, from ``low`` to ``high``; ``above`` excludes ``low``."""
        value = self._members.get(key)
        if value is None:
            return None
        number = _decimal(value)
        if number is None:
            self.refuse("must be a number", key)
            return None
        return number if self._between(key, number, low, high, above=above) else None

    def _between(
        self, key: str, number: Decimal, low: int, high: int | None, *, above: bool = False
    ) -> bool:
        if number < low or (above and number == low):
            self.expect(f"greater than{'' if above else ' or equal to'} {low}", key)
            return False
        if high is not None and number > high:
            self.expect(f"less than or equal to {high}", key)
            return False
        return True

    def expect(self, what: str, key: str) -> None:
        """Note that the member at ``key`` is not ``what`` it must be."""
        self.refuse(f"must be {what}, not {_shown(self._members[key])}", key)

    def _note(self, keys: Keys, message: str, hint: str | None = None) -> None:
        self._mistakes.append(Mistake(keys, message, hint))


def parse(text: str, place: str) -> dict[str, object]:
    """The document that TOML ``text`` from the file ``place`` is; its floats are decimals.

    Raises:
        ConfigurationError: it is not TOML.
    """
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError as error:
        raise ConfigurationError("too deeply nested", place=place) from error
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        message, line = (found[1], found[2]) if found else (str(error), text.count("\n") + 1)
        raise ConfigurationError(f"not TOML: {message}", place=f"{place}:{line}") from error


def first_error(mistakes: Sequence[Mistake], text: str, place: str) -> ConfigurationError:
    """The mistake that comes first in the file."""
    lines = [line_of(text, mistake.keys) for mistake in mistakes]
    line, first = min(zip(lines, mistakes, strict=True), key=lambda pair: pair[0])
    return ConfigurationError(first.message, place=f"{place}:{line}", hint=first.hint)


def _decimal(value: object) -> Decimal | None:
    if not isinstance(value, (int, str, Decimal)) or isinstance(value, bool):
        return None
    return decimal_of(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return str(value) if isinstance(value, (int, Decimal)) else ascii(value)


def _nearest(key: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, known, 1, 0.5)
    return f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(known)}"


def line_of(text: str, keys: Iterable[str | int]) -> int:
    """The line, from 1, on which the value at ``keys`` begins; of the part that exists, if none.

    A value begins after the last run of whole lines that is TOML and does not have it yet.
    """
    path = [key for key in keys if isinstance(key, str)]
    lines = text.splitlines(keepends=True)
    depth, start = 0, 1
    last_without = 0
    for count in range(1, len(lines) + 1):
        found = _depth("".join(lines[:count]), path)
        if found is None:
            continue
        if found > depth:
            depth, start = found, last_without + 1
        if depth == len(path):
            break
        last_without = count
    return start


def _depth(text: str, path: Sequence[str]) -> int | None:
    """How many steps of ``path`` exist in TOML ``text``; None when it is none."""
    try:
        value: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    for depth, key in enumerate(path):
        if not isinstance(value, dict) or key not in value:
            return depth
        value = value[key]
    return len(path)
