"""The one error that tokenising or parsing a source can end in."""

from __future__ import annotations

from typing import NamedTuple

from evaltui.errors import SuiteError
from evaltui.ulx.numerals import shortest_decimal
from evaltui.ulx.tree import Span

END_OF_INPUT = "end of input"
WILDCARD = "_"

_PUNCTUATION_NAMES = {
    "(": "LParen",
    ")": "RParen",
    "{": "LBrace",
    "}": "RBrace",
    "[": "LBracket",
    "]": "RBracket",
    ",": "Comma",
    ":": "Colon",
    "->": "Arrow",
    "=>": "FatArrow",
    ".": "Dot",
    "|": "Pipe",
    "==": "EqEq",
    "=": "Eq",
    "!=": "Ne",
    "<=": "Le",
    ">=": "Ge",
    "<": "Lt",
    ">": "Gt",
    "+": "Plus",
    "-": "Minus",
    "*": "Star",
    "/": "Slash",
    "$": "Dollar",
}
_VALUE_NAMES = {
    "ident": "Ident",
    "int": "Int",
    "float": "Float",
    "string": "Str",
    "text": "TextBlock",
    "path": "AtPath",
}
_SHOWN_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
)


class FoundToken(NamedTuple):
    """A token as an error mentions it: its kind (see ``lexer``) and its value."""

    kind: str
    value: str | int | float

    def shown(self) -> str:
        """The token as a report writes it (language specification 5.2)."""
        match self.kind:
            case "string":
                return quoted(str(self.value))
            case "text":
                return "<text block>"
            case "path":
                return f"@{self.value}"
            case "float":
                return shortest_decimal(float(self.value))
            case _:
                return str(self.value)

    def debug(self) -> str:
        """The token as the raw dump writes it (language specification, Appendix C)."""
        name = _PUNCTUATION_NAMES.get(self.kind)
        if name is not None:
            return name
        value = self.value if isinstance(self.value, int | float) else quoted(self.value)
        return f"{_VALUE_NAMES[self.kind]}({value})"


class UlxSyntaxError(SuiteError):
    """A source is not a program.

    ``span`` are byte offsets into the source; ``found`` is None at the end of input and for
    custom errors; ``expected`` holds displayed punctuation, ``_`` and ``end of input``;
    ``custom`` is a text of its own for lexical errors, too deep nesting and bad interpolations.
    """

    def __init__(
        self,
        span: Span,
        *,
        found: FoundToken | None = None,
        expected: frozenset[str] = frozenset(),
        custom: str | None = None,
    ) -> None:
        self.span = span
        self.found = found
        self.expected = expected
        self.custom = custom
        super().__init__(custom or self.report_message())

    def report_message(self) -> str:
        """The text of a report, which never shows ``custom`` (language specification 5.2)."""
        found = END_OF_INPUT if self.found is None else self.found.shown()
        if self.expected:
            return f"found {found} but expected one of: {', '.join(sorted(self.expected))}"
        return f"unexpected {found}"

    def raw(self) -> str:
        """The error as a single debug record (language specification, Appendix C)."""
        reason = "Unexpected" if self.custom is None else f"Custom({quoted(self.custom)})"
        expected = ", ".join(_expected_debug(shown) for shown in sorted(self.expected))
        found = "None" if self.found is None else f"Some({self.found.debug()})"
        return (
            f"Simple {{ span: {self.span.start}..{self.span.end}, reason: {reason}, "
            f"expected: {{{expected}}}, found: {found}, label: None }}"
        )

    def dump(self, path: str) -> str:
        """The line that ``check`` prints for the file ``path``, without ``error: ``."""
        return f"{path} failed to parse: [{self.raw()}]"


def quoted(text: str) -> str:
    """``text`` in double quotes with backslash escapes."""
    return f'"{text.translate(_SHOWN_ESCAPES)}"'


def _expected_debug(shown: str) -> str:
    if shown == END_OF_INPUT:
        return "None"
    if shown == WILDCARD:
        return 'Some(Ident("_"))'
    return f"Some({_PUNCTUATION_NAMES[shown]})"
