"""Whether a pattern occurs in a text, in time linear in the text.

RE2 does the matching. It knows neither Unicode word boundaries nor class operators, so it never
sees the text itself: characters that no part of the pattern tells apart are replaced by one
symbol, and the pattern is written over these symbols. Word characters get ASCII letters, digits
and ``_``, which is what RE2's ``\\b`` looks at.
"""

from __future__ import annotations

import string
from functools import lru_cache
from typing import Final

from evaltui.engine.patterns.characters import is_word
from evaltui.engine.patterns.linear import NotLinear, Searcher, linear
from evaltui.engine.patterns.syntax import (
    Alternatives,
    Assertion,
    Character,
    Node,
    PatternError,
    Repetition,
    Sequence,
    read_pattern,
)

MAX_SIZE: Final = 200_000
"""Characters and assertions of a pattern once its repetitions are written out."""

_MAX_REPEAT: Final = 1000
_WORD_SYMBOLS: Final = string.ascii_letters + string.digits + "_"
_OTHER_SYMBOLS: Final = "".join(
    chr(code) for code in range(128) if chr(code) not in _WORD_SYMBOLS and code != ord("\n")
)
_FIRST_FURTHER_SYMBOL: Final = 0x100
_ASSERTIONS: Final = {
    "start": r"\A",
    "end": r"\z",
    "line_start": "(?m:^)",
    "line_end": "(?m:$)",
    "word": r"\b",
    "not_word": r"\B",
}
_NOTHING: Final = r"[^\x{0}-\x{10FFFF}]"


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """Read a pattern and make it ready to search with.

    Raises:
        PatternError: the dialect does not allow it, or it is too big.
    """
    try:
        return Pattern(read_pattern(text))
    except RecursionError:
        raise PatternError("exceed the maximum number of nested groups") from None


class Pattern:
    """A pattern over symbols; learns new characters as it meets them."""

    def __init__(self, tree: Node) -> None:
        if _size(tree) > MAX_SIZE:
            raise PatternError(f"Compiled regex exceeds size limit of {MAX_SIZE} instructions.")
        self._tree = tree
        found = _parts(tree)
        self._sets = {node.key: node.members for node in found if isinstance(node, Character)}
        kinds = {node.kind for node in found if isinstance(node, Assertion)}
        self._splits_words = bool(kinds & {"word", "not_word"})
        self._splits_lines = bool(kinds & {"line_start", "line_end"})
        self._symbols: dict[tuple[bool, ...], str] = {}
        self._table = _Table(self)
        self._program: Searcher | None = None

    def found_in(self, text: str) -> bool:
        """Whether the pattern occurs anywhere in ``text``."""
        known = len(self._symbols)
        symbols = text.translate(self._table)
        if self._program is None or len(self._symbols) > known:
            self._program = self._compile()
        return self._program.search(symbols) is not None

    def symbol_of(self, character: str) -> str:
        """The symbol of the characters that the pattern cannot tell from this one."""
        if character == "\n" and self._splits_lines:
            self._symbols.setdefault(self._signature(character), character)
        signature = self._signature(character)
        symbol = self._symbols.get(signature)
        if symbol is None:
            symbol = self._symbols[signature] = self._new_symbol(word=signature[0])
        return symbol

    def _signature(self, character: str) -> tuple[bool, ...]:
        word = self._splits_words and is_word(character)
        line = self._splits_lines and character == "\n"
        return (word, line, *[members(character) for members in self._sets.values()])

    def _new_symbol(self, *, word: bool) -> str:
        used = sum(signature[0] is word for signature in self._symbols)
        symbols = _WORD_SYMBOLS if word else _OTHER_SYMBOLS
        if used < len(symbols):
            return symbols[used]
        if self._splits_words:
            # RE2 looks at bytes around \b and \B, so that only one-byte symbols are right.
            raise PatternError("the pattern tells too many characters apart to use `\\b`")
        return chr(_FIRST_FURTHER_SYMBOL + used)

    def _compile(self) -> Searcher:
        try:
            return linear(self._written())
        except NotLinear as error:
            raise PatternError(f"Compiled regex exceeds size limit: {error}") from error

    def _written(self) -> str:
        classes = {
            key: _class_text(
                [symbol for signature, symbol in self._symbols.items() if signature[2 + number]]
            )
            for number, key in enumerate(self._sets)
        }
        return _write(self._tree, classes)


class _Table(dict[int, str]):
    def __init__(self, pattern: Pattern) -> None:
        super().__init__()
        self._pattern = pattern

    def __missing__(self, code: int) -> str:
        symbol = self[code] = self._pattern.symbol_of(chr(code))
        return symbol


def _class_text(symbols: list[str]) -> str:
    if not symbols:
        return _NOTHING
    return "[" + "".join(f"\\x{{{ord(symbol):x}}}" for symbol in symbols) + "]"


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sequence | Alternatives):
        return node.nodes
    return (node.node,) if isinstance(node, Repetition) else ()


def _parts(node: Node) -> list[Node]:
    found = [node]
    for child in _children(node):
        found.extend(_parts(child))
    return found


def _size(node: Node) -> int:
    inner = sum(map(_size, _children(node)))
    if isinstance(node, Repetition):
        return inner * max(node.least, node.most or 0, 1) + 1
    return inner + 1


def _weight(node: Node) -> int:
    """How often RE2 would write out the innermost part, as it counts itself."""
    inner = max(map(_weight, _children(node)), default=1)
    if isinstance(node, Repetition):
        inner *= max(node.least, node.most or 0, 1)
    return min(inner, _MAX_REPEAT)


def _write(node: Node, classes: dict[object, str]) -> str:
    if isinstance(node, Character):
        return classes[node.key]
    if isinstance(node, Assertion):
        return f"(?:{_ASSERTIONS[node.kind]})"
    if isinstance(node, Sequence):
        return "".join(_write(child, classes) for child in node.nodes)
    if isinstance(node, Alternatives):
        return f"(?:{'|'.join(_write(child, classes) for child in node.nodes)})"
    return _repeated(f"(?:{_write(node.node, classes)})", node, _MAX_REPEAT // _weight(node.node))


def _repeated(text: str, node: Repetition, chunk: int) -> str:
    if node.most is None:
        return _times(text, node.least, chunk) + f"(?:{text}*)"
    optional = _times(text, node.most - node.least, chunk, "0,")
    return f"(?:{_times(text, node.least, chunk)}{optional})"


def _times(text: str, count: int, chunk: int, lower: str = "") -> str:
    """``text`` exactly ``count`` times, or up to that often when ``lower`` is ``0,``."""
    whole, rest = divmod(count, chunk)
    one = f"{text}{{{lower}{chunk}}}" if chunk > 1 or lower else text
    return one * whole + (f"{text}{{{lower}{rest}}}" if rest else "")
