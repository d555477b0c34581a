"""How values look to people: the display form of runtime specification 1.2."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from decimal import Decimal

from evaltui.engine.carriers import Unit, Unsettled, Value, Verdict

_NAMED_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"))
# Unicode's Other_Grapheme_Extend: marks that combine although their category is not Mn or Me.
_COMBINING = frozenset(
    "\u09be\u09d7\u0b3e\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u1b35\u302e"
    "\u302f\uff9e\uff9f\U0001133e\U00011357\U000114b0\U000114bd\U000115af\U00011930\U0001d165"
    "\U0001d16e\U0001d16f\U0001d170\U0001d171\U0001d172"
)


def display(value: Value) -> str:
    """The human form of a value; text stands unquoted, also inside lists and records."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return display_float(value)
    if isinstance(value, list):
        return f"[{', '.join([display(item) for item in value])}]"
    if isinstance(value, dict):
        fields = [f"{key}: {display(value[key])}" for key in sorted(value)]
        return f"{{{', '.join(fields)}}}"
    return _display_special(value)


def _display_special(value: Verdict | Unsettled | Unit) -> str:
    if isinstance(value, Unit):
        return "()"
    if isinstance(value, Unsettled):
        reason = f"({quote(value.reason or '')})" if value.variant == "Refused" else ""
        return f"<unsettled: {value.variant}{reason}>"
    if isinstance(value.payload, str):
        return f"{value.variant}({quote(value.payload)})"
    if value.payload is not None:
        return f"{value.variant}({score_float(value.payload)})"
    return value.variant


def display_float(number: float) -> str:
    """Shortest digits that round-trip, positional, without a trailing ``.0``."""
    text = repr(number)
    if "e" in text:
        text = format(Decimal(text), "f")
    elif text == "nan":
        return "NaN"
    return text.removesuffix(".0")


def score_float(number: float) -> str:
    """The float form inside ``Score(...)``: always with a point or an exponent."""
    text = repr(float(number))
    if text == "nan":
        return "NaN"
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def quote(text: str) -> str:
    """Text in double quotes, with everything invisible or combining escaped."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_escape, text))}"'


def quote_list(texts: Iterable[str]) -> str:
    """``["a", "b"]`` as messages list names."""
    return f"[{', '.join(map(quote, texts))}]"


def _escape(character: str) -> str:
    named = _NAMED_ESCAPES.get(character)
    if named is not None:
        return named
    if character == " " or "!" <= character <= "~":
        return character
    hidden = unicodedata.category(character) in _HIDDEN_CATEGORIES or character in _COMBINING
    return f"\\u{{{ord(character):x}}}" if hidden else character
