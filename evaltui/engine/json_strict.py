"""A JSON parser that fails where, and in the words in which, the reference fails.

Places are counted as the reference counts them: lines from 1, columns in UTF-8 bytes read on the
line (runtime specification 12.8).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from evaltui.engine.carriers import UNIT, Value

MAX_DEPTH: Final = 128
"""Arrays and objects nested this deep are refused."""

_WORDS: Final[dict[int, tuple[bytes, Value]]] = {
    ord("n"): (b"ull", UNIT),
    ord("t"): (b"rue", True),
    ord("f"): (b"alse", False),
}
_SIMPLE_ESCAPES: Final = {
    ord(mark): text
    for mark, text in zip('"\\/bfnrt', ('"', "\\", "/", "\b", "\f", "\n", "\r", "\t"), strict=True)
}
_SPACE: Final = b" \t\n\r"
_DIGITS: Final = b"0123456789"
_EXPONENT_LIMIT: Final = 2**31 - 1


class JsonError(ValueError):
    """Text that is not JSON; the message ends in `` at line L column C``."""


def integer(digits: str) -> int | float:
    """An integer literal as Int, or as Float beyond 64 bits and for ``-0``."""
    if len(digits) > 20:
        return float(digits)
    number = int(digits)
    if number == 0 and digits[0] == "-":
        return -0.0
    return number if -(2**63) <= number < 2**63 else float(number)


def parse_strictly(text: str) -> Value:
    """One JSON document and nothing behind it.

    Raises:
        JsonError: it is not one.
    """
    parser = _Parser(text.encode("utf-8", "surrogatepass"))
    value = parser.value()
    if parser.peek_past_space() is not None:
        raise parser.peek_error("trailing characters")
    return value


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._room = MAX_DEPTH

    def error(self, message: str) -> JsonError:
        return self._error_at(message, self._at)

    def peek_error(self, message: str) -> JsonError:
        return self._error_at(message, min(len(self._data), self._at + 1))

    def _error_at(self, message: str, index: int) -> JsonError:
        line = self._data.count(b"\n", 0, index) + 1
        column = index - (self._data.rfind(b"\n", 0, index) + 1)
        return JsonError(f"{message} at line {line} column {column}")

    def _peek(self) -> int | None:
        return self._data[self._at] if self._at < len(self._data) else None

    def _next(self) -> int | None:
        found = self._peek()
        self._at += found is not None
        return found

    def peek_past_space(self) -> int | None:
        while (found := self._peek()) is not None and found in _SPACE:
            self._at += 1
        return found

    def value(self) -> Value:
        start = self.peek_past_space()
        if start is None:
            raise self.peek_error("EOF while parsing a value")
        if start in _WORDS:
            return self._word(*_WORDS[start])
        if start == ord("-") or start in _DIGITS:
            return self._number()
        if start == ord('"'):
            self._at += 1
            return self._string()
        if start == ord("["):
            return self._nested(self._list)
        if start == ord("{"):
            return self._nested(self._object)
        raise self.peek_error("expected value")

    def _nested(self, read: Callable[[], Value]) -> Value:
        self._room -= 1
        if self._room == 0:
            raise self.peek_error("recursion limit exceeded")
        self._at += 1
        value = read()
        self._at += 1
        self._room += 1
        return value

    def _word(self, rest: bytes, value: Value) -> Value:
        self._at += 1
        for expected in rest:
            found = self._next()
            if found is None:
                raise self.error("EOF while parsing a value")
            if found != expected:
                raise self.error("expected ident")
        return value

    def _list(self) -> Value:
        items: list[Value] = []
        while self._has_next(b"]", "list", first=not items):
            items.append(self.value())
        return items

    def _object(self) -> Value:
        fields: dict[str, Value] = {}
        first = True
        while self._has_next(b"}", "object", first=first):
            first = False
            if self._peek() != ord('"'):
                raise self.peek_error("key must be a string")
            self._at += 1
            key = self._string()
            self._colon()
            fields[key] = self.value()
        return fields

    def _has_next(self, end: bytes, what: str, *, first: bool) -> bool:
        found = self.peek_past_space()
        if found is None:
            article = "an" if what == "object" else "a"
            raise self.peek_error(f"EOF while parsing {article} {what}")
        if found == end[0]:
            return False
        if first:
            return True
        if found != ord(","):
            raise self.peek_error(f"expected `,` or `{end.decode()}`")
        self._at += 1
        found = self.peek_past_space()
        if found is None:
            raise self.peek_error("EOF while parsing a value")
        if found == end[0]:
            raise self.peek_error("trailing comma")
        return True

    def _colon(self) -> None:
        found = self.peek_past_space()
        if found is None:
            raise self.peek_error("EOF while parsing an object")
        if found != ord(":"):
            raise self.peek_error("expected `:`")
        self._at += 1

    def _number(self) -> int | float:
        start = self._at
        self._at += self._peek() == ord("-")
        first = self._next()
        if first is None:
            raise self.error("EOF while parsing a value")
        if first not in _DIGITS:
            raise self.error("invalid number")
        if first == ord("0"):
            if self._peek_in(_DIGITS):
                raise self.peek_error("invalid number")
        else:
            self._skip_digits()
        whole = not self._peek_in(b".eE")
        if self._peek() == ord("."):
            self._fraction()
        if self._peek_in(b"eE"):
            self._exponent(start)
        return self._finish_number(start, whole=whole)

    def _finish_number(self, start: int, *, whole: bool) -> int | float:
        digits = self._data[start : self._at].decode("ascii")
        number = integer(digits) if whole else float(digits)
        if isinstance(number, float) and number in (float("inf"), float("-inf")):
            raise self.error("number out of range")
        return number

    def _fraction(self) -> None:
        self._at += 1
        if self._peek_in(_DIGITS):
            self._skip_digits()
        elif self._peek() is None:
            raise self.peek_error("EOF while parsing a value")
        else:
            raise self.peek_error("invalid number")

    def _exponent(self, start: int) -> None:
        zero = not self._data[start : self._at].strip(b"-0.")
        self._at += 1
        shrinking = self._peek() == ord("-")
        self._at += self._peek_in(b"+-")
        first = self._next()
        if first is None:
            raise self.error("EOF while parsing a value")
        if first not in _DIGITS:
            raise self.error("invalid number")
        size = first - ord("0")
        while self._peek_in(_DIGITS):
            size = size * 10 + self._data[self._at] - ord("0")
            self._at += 1
            if size > _EXPONENT_LIMIT and not zero and not shrinking:
                raise self.error("number out of range")

    def _peek_in(self, allowed: bytes) -> bool:
        found = self._peek()
        return found is not None and found in allowed

    def _skip_digits(self) -> None:
        while self._peek_in(_DIGITS):
            self._at += 1

    def _string(self) -> str:
        parts: list[str] = []
        start = self._at
        while True:
            found = self._peek()
            if found is None:
                raise self.error("EOF while parsing a string")
            if found == ord('"') or found == ord("\\"):
                parts.append(self._data[start : self._at].decode("utf-8", "surrogatepass"))
                self._at += 1
                if found == ord('"'):
                    return "".join(parts)
                parts.append(self._escape())
                start = self._at
                continue
            self._at += 1
            if found < 0x20:
                raise self.error("control character (\\u0000-\\u001F) found while parsing a string")

    def _escape(self) -> str:
        mark = self._next()
        if mark is None:
            raise self.error("EOF while parsing a string")
        if mark == ord("u"):
            return self._unicode_escape()
        if mark not in _SIMPLE_ESCAPES:
            raise self.error("invalid escape")
        return _SIMPLE_ESCAPES[mark]

    def _unicode_escape(self) -> str:
        high = self._hex4()
        if 0xDC00 <= high <= 0xDFFF:
            raise self.error("lone leading surrogate in hex escape")
        if not 0xD800 <= high <= 0xDBFF:
            return chr(high)
        for expected in b"\\u":
            found = self._next()
            if found is None:
                raise self.error("EOF while parsing a string")
            if found != expected:
                raise self.error("unexpected end of hex escape")
        low = self._hex4()
        if not 0xDC00 <= low <= 0xDFFF:
            raise self.error("lone leading surrogate in hex escape")
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))

    def _hex4(self) -> int:
        digits = self._data[self._at : self._at + 4]
        self._at += len(digits)
        if len(digits) < 4:
            raise self.error("EOF while parsing a string")
        if digits.strip(b"0123456789abcdefABCDEF"):
            raise self.error("invalid escape")
        return int(digits, 16)
