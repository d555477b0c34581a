"""Sets of characters as predicates: perl classes, POSIX classes and Unicode properties."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from evaltui.engine.alphabetic import is_alphabetic
from evaltui.engine.patterns.linear import NotLinear, linear
from evaltui.engine.white_space import WHITE_SPACE

CharacterSet: TypeAlias = "Callable[[str], bool]"
"""Whether one character belongs to the set."""

_SPACES: Final = frozenset(WHITE_SPACE)
_JOIN_CONTROLS: Final = "\u200c\u200d"
_CATEGORY_NAMES: Final = {
    "letter": "L",
    "casedletter": "LC",
    "uppercaseletter": "Lu",
    "lowercaseletter": "Ll",
    "titlecaseletter": "Lt",
    "modifierletter": "Lm",
    "otherletter": "Lo",
    "mark": "M",
    "combiningmark": "M",
    "nonspacingmark": "Mn",
    "spacingmark": "Mc",
    "enclosingmark": "Me",
    "number": "N",
    "decimalnumber": "Nd",
    "digit": "Nd",
    "letternumber": "Nl",
    "othernumber": "No",
    "punctuation": "P",
    "punct": "P",
    "connectorpunctuation": "Pc",
    "dashpunctuation": "Pd",
    "openpunctuation": "Ps",
    "closepunctuation": "Pe",
    "initialpunctuation": "Pi",
    "finalpunctuation": "Pf",
    "otherpunctuation": "Po",
    "symbol": "S",
    "mathsymbol": "Sm",
    "currencysymbol": "Sc",
    "modifiersymbol": "Sk",
    "othersymbol": "So",
    "separator": "Z",
    "spaceseparator": "Zs",
    "lineseparator": "Zl",
    "paragraphseparator": "Zp",
    "other": "C",
    "control": "Cc",
    "cntrl": "Cc",
    "format": "Cf",
    "surrogate": "Cs",
    "privateuse": "Co",
    "unassigned": "Cn",
}
_CATEGORIES: Final = {code.lower(): code for code in _CATEGORY_NAMES.values()}
_POSIX: Final = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: c < " " or c == "\x7f",
    "digit": str.isdigit,
    "graph": lambda c: "!" <= c <= "~",
    "lower": str.islower,
    "print": lambda c: " " <= c <= "~",
    "punct": lambda c: "!" <= c <= "~" and not c.isalnum(),
    "space": lambda c: c in "\t\n\x0b\x0c\r ",
    "upper": str.isupper,
    "word": lambda c: c.isalnum() or c == "_",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "ascii": lambda c: True,
}


def is_word(character: str) -> bool:
    """The Unicode ``\\w``: letters, marks, decimal digits, connectors and join controls."""
    if character.isascii():
        return character.isalnum() or character == "_"
    category = unicodedata.category(character)
    return (
        category[0] in "LM"
        or category in ("Nd", "Pc")
        or character in _JOIN_CONTROLS
        or is_alphabetic(character)
    )


def is_digit(character: str) -> bool:
    """The Unicode ``\\d``."""
    return unicodedata.category(character) == "Nd"


def is_space(character: str) -> bool:
    """The Unicode ``\\s``."""
    return character in _SPACES


PERL: Final[dict[str, CharacterSet]] = {"w": is_word, "d": is_digit, "s": is_space}


def ascii_only(inner: CharacterSet) -> CharacterSet:
    """The ASCII part of a set."""
    return lambda character: character.isascii() and inner(character)


def one_of(characters: str) -> CharacterSet:
    """The set of these characters."""
    return lambda character: character in characters


def between(first: str, last: str) -> CharacterSet:
    """The characters from ``first`` to ``last``, both included."""
    return lambda character: first <= character <= last


def negated(inner: CharacterSet) -> CharacterSet:
    """Everything that is not in the set."""
    return lambda character: not inner(character)


def union(members: Iterable[CharacterSet]) -> CharacterSet:
    """What is in at least one of the sets."""
    sets = tuple(members)
    if len(sets) == 1:
        return sets[0]
    return lambda character: any(inner(character) for inner in sets)


def combined(operator: str, left: CharacterSet, right: CharacterSet) -> CharacterSet:
    """Intersection ``&&``, difference ``--`` or symmetric difference ``~~``."""
    if operator == "&&":
        return lambda character: left(character) and right(character)
    if operator == "--":
        return lambda character: left(character) and not right(character)
    return lambda character: left(character) != right(character)


def any_case(inner: CharacterSet) -> CharacterSet:
    """The set and all case variants of its members."""
    return lambda character: any(inner(variant) for variant in _variants(character))


@lru_cache(maxsize=4096)
def _variants(character: str) -> frozenset[str]:
    found = {character}
    for _ in range(2):
        for one in tuple(found):
            changed = (one.lower(), one.upper(), one.casefold())
            found.update(variant for variant in changed if len(variant) == 1)
    return frozenset(found)


def posix(name: str) -> CharacterSet | None:
    """A class such as ``alpha`` in ``[[:alpha:]]``, which is ASCII only."""
    inner = _POSIX.get(name)
    return None if inner is None else ascii_only(inner)


def unicode_property(name: str) -> CharacterSet | None:
    """The set that ``\\p{name}`` stands for; None when there is no such property.

    Names are read loosely: case, blanks, ``_`` and ``-`` do not count.
    """
    key, mark, value = name.replace(":", "=").partition("=")
    if not mark:
        return _binary(_loose(name)) or _category(_loose(name)) or _script(name)
    if _loose(key) in ("gc", "generalcategory"):
        return _category(_loose(value))
    if _loose(key) in ("sc", "script", "scx", "scriptextensions"):
        return _script(value)
    return None


def _loose(name: str) -> str:
    text = "".join(c for c in name.lower() if c not in " _-\t")
    return text.removeprefix("is") if len(text) > 2 else text


def _binary(name: str) -> CharacterSet | None:
    known: dict[str, CharacterSet] = {
        "any": lambda c: True,
        "ascii": str.isascii,
        "assigned": lambda c: unicodedata.category(c) != "Cn",
        "alphabetic": is_alphabetic,
        "alpha": is_alphabetic,
        "whitespace": is_space,
        "space": is_space,
        "uppercase": str.isupper,
        "upper": str.isupper,
        "lowercase": str.islower,
        "lower": str.islower,
    }
    return known.get(name)


def _category(name: str) -> CharacterSet | None:
    code = _CATEGORY_NAMES.get(name) or _CATEGORIES.get(name)
    if code is None:
        return None
    wanted = ("Lu", "Ll", "Lt") if code == "LC" else (code,)
    return lambda character: unicodedata.category(character).startswith(wanted)


def _script(name: str) -> CharacterSet | None:
    words = name.strip().replace("-", "_").replace(" ", "_").split("_")
    try:
        tester = linear(rf"\p{{{'_'.join(word.capitalize() for word in words)}}}")
    except NotLinear:
        return None
    return lambda character: tester.fullmatch(character) is not None
