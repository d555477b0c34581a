"""Source text to tokens (language specification 1.1-1.5, 1.7 and 2.8).

The source is scanned as UTF-8 bytes spelled in Latin-1, one character a byte, so that every offset
is a byte offset; values are turned back into text where they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from evaltui.ulx.syntax_error import FoundToken, UlxSyntaxError
from evaltui.ulx.tree import Span

MAX_DEPTH = 1000
MAX_INTEGER = 2**63 - 1
END = "end"

DEPTH_MESSAGE = (
    "nesting depth exceeds the 1000-level limit — this looks like malformed or adversarial input "
    "rather than an intentionally deep program"
)
CHARACTER_MESSAGE = "unrecognized character"

_TOKEN = re.compile(
    r"""
    (?: [ \t\r\n\f]++ | //[^\n]*+ | /\*(?:[^*]++|\*[^*/])*+\*++/ )*+
    (?:
      (?P<ident> [A-Za-z_][A-Za-z0-9_]*+ )
    | (?P<punctuation> -> | => | == | != | <= | >= | [(){}\[\],:.|=<>+*$-] | /(?![*/]) )
    | (?P<text> \"\"\" (?s:(?P<block>.*?)) \"\"\" )
    | (?P<string> \"(?!\"\") (?P<chars>(?:[^\"\\]++|\\[^\n])*+) \" )
    | (?P<float> [0-9]++\.[0-9]++ )
    | (?P<int> [0-9]++ )
    | (?P<path> @[A-Za-z0-9_./-]++ )
    | (?P<end> \Z )
    )
    """,
    re.VERBOSE,
)
_SKIPPED = re.compile(r"(?:[ \t\r\n\f]++|//[^\n]*+|/\*(?:[^*]++|\*[^*/])*+\*++/)*+")
_BROKEN_COMMENT = re.compile(r"/\*(?:[^*]++|\*[^*/])*+\**+")
_BROKEN_STRING = re.compile(r'"(?:[^"\\]++|\\[^\n])*+')
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t"}

_OPENERS = frozenset("({[")
_CLOSERS = frozenset(")}]")


class Tokens(NamedTuple):
    """The tokens of one source, as parallel columns that end in one ``end`` token.

    ``kinds`` holds the punctuation itself or one of ``ident int float string text path end``;
    ``values`` the decoded value (for ``text`` the decoded content, still one character a byte, in
    which interpolations are looked for); ``starts`` and ``ends`` are byte offsets.
    """

    kinds: list[str]
    values: list[str | int | float]
    starts: list[int]
    ends: list[int]

    def span(self, index: int) -> Span:
        """The byte span of token ``index``; empty at the end of input."""
        return Span(self.starts[index], self.ends[index])

    def found(self, index: int) -> FoundToken | None:
        """Token ``index`` for an error message; None at the end of input."""
        kind = self.kinds[index]
        if kind == END:
            return None
        value = self.values[index]
        return FoundToken(kind, to_text(str(value)) if kind == "text" else value)


def to_bytes(text: str) -> str:
    """``text`` with one character for each byte of its UTF-8 form."""
    return text if text.isascii() else text.encode("utf-8").decode("latin-1")


def to_text(spelled: str) -> str:
    """The text that ``to_bytes`` turned into ``spelled``."""
    return spelled if spelled.isascii() else spelled.encode("latin-1").decode("utf-8", "replace")


def tokenize(spelled: str) -> Tokens:
    """Split a source given one character a byte (``to_bytes``).

    Raises ``UlxSyntaxError`` at the first lexical error, or where nesting is too deep.
    """
    tokens = Tokens([], [], [], [])
    scan_into(tokens, spelled, 0)
    check_depth(tokens)
    return tokens


def scan_into(tokens: Tokens, spelled: str, position: int) -> None:
    """Append the tokens from ``position`` on, the end of input included.

    Raises ``UlxSyntaxError`` at the first lexical error; the tokens before it are there then.
    """
    kinds, values, starts, ends = tokens
    last = position
    scan = _TOKEN.scanner(spelled, position).match  # type: ignore[attr-defined]
    while (match := scan()) is not None:
        group = match.lastgroup
        start, end = match.span(group)
        token = spelled[start:end]
        if group == "punctuation":
            values.append(token)
            kinds.append(token)
        else:
            values.append(token if group == "ident" else _READERS[group](match, token))
            kinds.append(group)
        starts.append(start)
        ends.append(end)
        last = end
        if group == END:
            return
    raise lexical_error(spelled, last)


def check_depth(tokens: Tokens) -> None:
    """Raise ``UlxSyntaxError`` at the bracket that nests too deep."""
    depth = 0
    for index, kind in enumerate(tokens.kinds):
        if kind in _OPENERS:
            depth += 1
            if depth > MAX_DEPTH:
                raise UlxSyntaxError(tokens.span(index), custom=DEPTH_MESSAGE)
        elif kind in _CLOSERS and depth:
            depth -= 1


def _integer(match: re.Match[str], digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > 19 or int(significant or "0") > MAX_INTEGER:
        raise _bad_token(Span(*match.span("int")), digits)
    return int(significant or "0")


_READERS: dict[str, Callable[[re.Match[str], str], str | int | float]] = {
    "int": _integer,
    "float": lambda _, token: float(token),
    "string": lambda match, _: to_text(decode_escapes(match["chars"])),
    "text": lambda match, _: decode_escapes(match["block"]),
    "path": lambda _, token: token[1:],
    END: lambda _, __: "",
}


def decode_escapes(content: str) -> str:
    """Resolve backslash escapes: newline, tab, and otherwise the character itself."""
    if "\\" not in content:
        return content
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), content)


def lexical_error(spelled: str, position: int) -> UlxSyntaxError:
    """The error for the first thing from ``position`` on that is no token."""
    skipped = _SKIPPED.match(spelled, position)
    start = skipped.end() if skipped else position
    span = Span(start, _bad_token_end(spelled, start))
    return _bad_token(span, spelled[span.start : span.end])


def _bad_token_end(spelled: str, start: int) -> int:
    if spelled.startswith('"""', start):
        return start + 3
    for broken in (_BROKEN_COMMENT, _BROKEN_STRING):
        match = broken.match(spelled, start)
        if match:
            return match.end()
    end = start + 1
    while end < len(spelled) and "\x80" <= spelled[end] <= "\xbf":
        end += 1
    return end


def _bad_token(span: Span, digits: str) -> UlxSyntaxError:
    if digits.isascii() and digits.isdigit():
        text = f"integer literal `{digits}` is too large to fit in a 64-bit integer"
        return UlxSyntaxError(span, custom=text)
    return UlxSyntaxError(span, custom=CHARACTER_MESSAGE)
