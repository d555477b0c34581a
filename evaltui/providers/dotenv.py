"""``.env`` files (runtime specification 5.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from evaltui.engine.white_space import WHITE_SPACE
from evaltui.errors import ConfigurationError
from evaltui.ulx.reading import ReadFailure, read_text

_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_EXPORT: Final = re.compile(r"export[^\S\n]+(?=[A-Za-z_])")
_ESCAPES: Final = {"n": "\n", "\\": "\\", '"': '"', "'": "'", "$": "$", " ": " "}


class MalformedLine(ConfigurationError):
    """A line that is no assignment; the message shows it, as ``ulx`` does."""

    def __init__(self, shown: str, index: int, number: int) -> None:
        super().__init__(f".env: Error parsing line: '{shown}', error at line index: {index}")
        self.number = number


def load_environment(
    folder: Path, environment: Mapping[str, str], *, showing: bool = False
) -> dict[str, str]:
    """``environment`` and what ``folder/.env`` adds to it; variables already set win.

    A line that cannot be read may hold a key: it is told by its number alone unless ``showing``.

    Raises:
        ConfigurationError: the file cannot be read or parsed.
    """
    path = folder / ".env"
    if not path.is_file():
        return dict(environment)
    try:
        text = read_text(path)
    except ReadFailure as failure:
        raise ConfigurationError(f".env: {failure}") from failure
    try:
        return {**parse_dotenv(text, environment), **environment}
    except MalformedLine as line:
        if showing:
            raise
        message = "this line is no assignment NAME=VALUE, or its quotes are not closed"
        raise ConfigurationError(message, place=f"{path}:{line.number}") from None


def parse_dotenv(text: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a file assigns; the first assignment of a name wins.

    ``$NAME`` and ``${NAME}`` are looked up in ``environment``, then in earlier lines.

    Raises:
        MalformedLine: a line is malformed.
    """
    reader = _Reader(text.removeprefix("\ufeff"), environment)
    found: dict[str, str] = {}
    while reader.more:
        assignment = reader.line()
        if assignment is not None:
            found.setdefault(*assignment)
    return found


class _Reader:
    def __init__(self, text: str, environment: Mapping[str, str]) -> None:
        self._text = text
        self._at = 0
        self._line_start = 0
        self._environment = environment
        self._earlier: dict[str, str] = {}

    @property
    def more(self) -> bool:
        return self._at < len(self._text)

    def line(self) -> tuple[str, str] | None:
        """One assignment, possibly over several lines; None for a blank line or comment."""
        self._line_start = self._at
        self._skip_space()
        if self._peek() in ("", "\n", "#"):
            self._skip_line()
            return None
        exported = _EXPORT.match(self._text, self._at)
        if exported:
            self._at = exported.end()
        key = self._key()
        self._skip_space()
        value = self._value()
        self._skip_line()
        self._earlier[key] = value
        return key, value

    def _key(self) -> str:
        found = _KEY.match(self._text, self._at)
        if found is None:
            self._fail(self._line_start)
        self._at = found.end()
        self._skip_space()
        if self._peek() != "=":
            self._fail(self._line_start)
        self._at += 1
        return found[0]

    def _value(self) -> str:
        start = self._at
        parts: list[str] = []
        while (mark := self._peek()) not in ("", "\n", "\r"):
            if mark in " \t":
                self._only_comment(start)
                break
            if mark == "#" and not parts and self._at == start:
                break
            parts.append(self._piece(mark, start))
        return "".join(parts)

    def _piece(self, mark: str, start: int) -> str:
        self._at += 1
        if mark == "'":
            return self._literal(start)
        if mark == '"':
            return self._quoted(start)
        if mark == "\\":
            return self._escape(start)
        return self._variable(start) if mark == "$" else mark

    def _literal(self, start: int) -> str:
        end = self._text.find("'", self._at)
        if end < 0:
            self._fail_at_end(start)
        content = self._text[self._at : end]
        self._at = end + 1
        return content

    def _quoted(self, start: int) -> str:
        parts: list[str] = []
        while (mark := self._peek()) != '"':
            if not mark:
                self._fail_at_end(start)
            self._at += 1
            if mark == "\\":
                parts.append(self._escape(start))
            else:
                parts.append(self._variable(start) if mark == "$" else mark)
        self._at += 1
        return "".join(parts)

    def _escape(self, start: int) -> str:
        mark = self._peek()
        if mark not in _ESCAPES:
            self._fail(start)
        self._at += 1
        return _ESCAPES[mark]

    def _variable(self, start: int) -> str:
        if self._peek() == "{":
            end = self._text.find("}", self._at)
            if end < 0 or "\n" in self._text[self._at : end]:
                self._fail_at_end(start)
            name = self._text[self._at + 1 : end]
            self._at = end + 1
        else:
            begin = self._at
            while self._peek().isalnum():
                self._at += 1
            name = self._text[begin : self._at]
        return self._environment.get(name, self._earlier.get(name, ""))

    def _only_comment(self, start: int) -> None:
        while (mark := self._peek()) and mark in " \t":
            self._at += 1
        if mark not in ("", "\n", "\r", "#"):
            self._fail(start)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_space(self) -> None:
        while (mark := self._peek()) and mark != "\n" and mark in WHITE_SPACE:
            self._at += 1

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1

    def _fail(self, start: int) -> NoReturn:
        """Fail at this place of the line, or of the value, that begins at ``start``."""
        end = self._text.find("\n", self._at)
        shown = self._text[start : len(self._text) if end < 0 else end].rstrip("\r")
        raise MalformedLine(shown, self._at - start, self._number(start))

    def _fail_at_end(self, start: int) -> NoReturn:
        rest = self._text[start:]
        raise MalformedLine(rest, len(rest), self._number(start))

    def _number(self, start: int) -> int:
        return self._text.count("\n", 0, start) + 1
