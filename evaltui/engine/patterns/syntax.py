"""Reading a pattern of the reference's dialect into a tree, or saying why it is none.

No look-around and no back-references; ``\\d \\w \\s \\b`` are Unicode; classes nest and may be
intersected; flags ``i m s U u x`` may be set inline.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaltui.engine.patterns import characters as chars
from evaltui.engine.patterns.characters import CharacterSet
from evaltui.engine.white_space import WHITE_SPACE

MAX_NESTING: Final = 250
_ESCAPED_CHARACTERS: Final = {
    "a": "\x07", "f": "\x0c", "t": "\t", "n": "\n", "r": "\r", "v": "\x0b"
}  # fmt: skip
_HEX_LENGTHS: Final = {"x": 2, "u": 4, "U": 8}
_LOOK_AROUND: Final = ("?=", "?!", "?<=", "?<!")
_FLAGS: Final = "imsUux"


class PatternError(ValueError):
    """A pattern that the dialect does not allow; the message shows the place."""


class Character(Struct, frozen=True):
    """One character out of a set; equal ``key`` means equal set."""

    key: object
    members: CharacterSet


class Assertion(Struct, frozen=True):
    """An empty match at a place: ``start``, ``end``, ``line_start``, ``word``, ..."""

    kind: str


class Repetition(Struct, frozen=True):
    """``least`` to ``most`` times (None: without limit)."""

    node: Node
    least: int
    most: int | None


class Sequence(Struct, frozen=True):
    nodes: tuple[Node, ...]


class Alternatives(Struct, frozen=True):
    nodes: tuple[Node, ...]


Node: TypeAlias = "Character | Assertion | Repetition | Sequence | Alternatives"


class Flags(Struct, frozen=True):
    """The inline flags in force."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False
    u: bool = True
    x: bool = False


class Reader:
    """A place in a pattern and the flags in force there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags = Flags()

    def error(self, message: str, at: int | None = None) -> PatternError:
        place = self.at if at is None else at
        return PatternError(
            f"regex parse error:\n    {self.text}\n    {' ' * place}^\nerror: {message}"
        )

    @property
    def more(self) -> bool:
        """Whether the pattern goes on."""
        return self.at < len(self.text)

    def peek(self, offset: int = 0) -> str:
        """A character ahead, empty at the end."""
        return self.text[self.at + offset : self.at + offset + 1]

    def take(self, text: str) -> bool:
        """Step over ``text`` if it stands here."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def next(self) -> str:
        """Step over one character."""
        character = self.peek()
        self.at += 1
        return character

    def until(self, end: str, problem: str) -> str:
        """Step over everything up to and including ``end``; answers what stands before it."""
        found = self.text.find(end, self.at)
        if found < 0:
            raise self.error(problem)
        content = self.text[self.at : found]
        self.at = found + len(end)
        return content

    def skip_space(self) -> None:
        """Step over blanks and comments when the flag ``x`` is set."""
        while self.flags.x and self.more:
            if self.peek() in WHITE_SPACE:
                self.at += 1
            elif self.peek() == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end + 1
            else:
                return


def read_pattern(text: str) -> Node:
    """The tree of a pattern.

    Raises:
        PatternError: the dialect does not allow it.
    """
    reader = Reader(text)
    node = _Groups(reader).alternatives(0)
    if reader.more:
        raise reader.error("unopened group")
    return node


class _Groups:
    """Alternatives, sequences, repetitions and groups."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._names: set[str] = set()

    def alternatives(self, depth: int) -> Node:
        if depth > MAX_NESTING:
            raise self._reader.error(f"exceed the maximum number of nested parentheses ({depth})")
        nodes = [self._sequence(depth)]
        while self._reader.take("|"):
            nodes.append(self._sequence(depth))
        return nodes[0] if len(nodes) == 1 else Alternatives(tuple(nodes))

    def _sequence(self, depth: int) -> Node:
        reader = self._reader
        nodes: list[Node] = []
        while True:
            reader.skip_space()
            if not reader.more or reader.peek() in "|)":
                return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes))
            if reader.peek() in "*+?{":
                raise reader.error("repetition operator missing expression")
            node = self._atom(depth)
            if node is not None:
                nodes.append(self._repeated(node))

    def _atom(self, depth: int) -> Node | None:
        reader = self._reader
        if reader.peek() == "(":
            return self._group(depth)
        return read_single(reader)

    def _group(self, depth: int) -> Node | None:
        reader = self._reader
        start = reader.at
        reader.at += 1
        outer = reader.flags
        if any(reader.text.startswith(mark, reader.at) for mark in _LOOK_AROUND):
            raise reader.error(
                "look-around, including look-ahead and look-behind, is not supported"
            )
        if reader.take("?P<") or reader.take("?<"):
            self._name()
        elif reader.take("?") and self._set_flags():
            self._refuse_repetition()
            return None
        node = self.alternatives(depth + 1)
        if not reader.take(")"):
            raise reader.error("unclosed group", start)
        reader.flags = outer
        return node

    def _refuse_repetition(self) -> None:
        self._reader.skip_space()
        if self._reader.more and self._reader.peek() in "*+?{":
            raise self._reader.error("repetition operator missing expression")

    def _name(self) -> None:
        reader = self._reader
        start = reader.at
        name = reader.until(">", "unclosed capture group name")
        if not name:
            raise reader.error("empty capture group name", start)
        rest_ok = all(c.isalnum() or c in "_.[]" for c in name)
        if not (name[0] == "_" or name[0].isalpha()) or not rest_ok:
            raise reader.error("invalid capture group character", start)
        if name in self._names:
            raise reader.error("duplicate capture group name", start)
        self._names.add(name)

    def _set_flags(self) -> bool:
        """Read flags; True when they hold for the rest of the group, False when ``:`` follows."""
        reader = self._reader
        start, value, changed = reader.at, True, False
        flags = reader.flags
        while True:
            mark = reader.next()
            if mark == "-" and value:
                value = False
            elif mark and mark in _FLAGS:
                flags = replace(flags, **{mark: value})
                changed = True
            elif mark == ":" or (mark == ")" and changed):
                break
            else:
                raise reader.error("unrecognized flag" if mark else "unclosed group", start)
        reader.flags = flags
        return mark == ")"

    def _repeated(self, node: Node) -> Node:
        reader = self._reader
        while True:
            reader.skip_space()
            mark = reader.peek()
            if mark not in ("*", "+", "?", "{"):
                return node
            reader.at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(mark, (0, None))
            if mark == "{":
                least, most = self._count()
            reader.take("?")
            node = Repetition(node, least, most)

    def _count(self) -> tuple[int, int | None]:
        reader = self._reader
        start = reader.at
        lower, comma, upper = reader.until("}", "unclosed counted repetition").partition(",")
        least = self._decimal(lower, start)
        if not comma:
            return least, least
        if not upper.strip():
            return least, None
        most = self._decimal(upper, start)
        if most < least:
            raise reader.error(
                "invalid repetition count range, the start must be <= the end", start
            )
        return least, most

    def _decimal(self, digits: str, start: int) -> int:
        text = digits.strip()
        if not (text.isascii() and text.isdigit()) or len(text) > 9:
            raise self._reader.error("repetition quantifier expects a valid decimal", start)
        return int(text)


def read_single(reader: Reader) -> Node:
    """One character, class or assertion."""
    flags = reader.flags
    mark = reader.peek()
    if mark == "[":
        from evaltui.engine.patterns.classes import read_class

        return _class_node(read_class(reader))
    if mark == "\\":
        return _escape_node(reader)
    reader.at += 1
    if mark == ".":
        if not flags.u:
            raise reader.error("pattern can match invalid UTF-8", reader.at - 1)
        return Character("any", lambda c: True) if flags.s else _NOT_NEWLINE
    if mark == "^":
        return Assertion("line_start" if flags.m else "start")
    if mark == "$":
        return Assertion("line_end" if flags.m else "end")
    return _literal(mark, flags)


_NOT_NEWLINE: Final = Character("any but newline", lambda c: c != "\n")


def _literal(character: str, flags: Flags) -> Character:
    members = chars.one_of(character)
    return Character((character, flags.i), chars.any_case(members) if flags.i else members)


def _class_node(members: CharacterSet) -> Character:
    return Character(members, members)


def _escape_node(reader: Reader) -> Node:
    start = reader.at
    mark = reader.peek(1)
    if mark and mark in "AzbB":
        reader.at += 2
        if mark in "bB" and (reader.peek() == "{" or not reader.flags.u):
            raise reader.error("this form of word boundary is not supported", start)
        return Assertion({"A": "start", "z": "end", "b": "word", "B": "not_word"}[mark])
    found = read_escape(reader)
    return _literal(found, reader.flags) if isinstance(found, str) else _class_node(found)


def read_escape(reader: Reader) -> str | CharacterSet:
    """An escape that stands for one character, or for a set of them.

    Raises:
        PatternError: no such escape.
    """
    start = reader.at
    reader.at += 1
    mark = reader.next()
    if mark.lower() in chars.PERL:
        return _perl(mark, reader.flags)
    if mark and mark in "pP":
        return _property(mark, reader, start)
    if mark in _HEX_LENGTHS:
        return _hex(mark, reader, start)
    if mark in _ESCAPED_CHARACTERS:
        return _ESCAPED_CHARACTERS[mark]
    if not mark:
        raise reader.error("incomplete escape sequence, reached end of pattern prematurely", start)
    if mark in "0123456789":
        raise reader.error("backreferences are not supported", start)
    if mark.isalnum() or not mark.isascii() or mark in "<>":
        raise reader.error("unrecognized escape sequence", start)
    return mark


def _perl(mark: str, flags: Flags) -> CharacterSet:
    members = chars.PERL[mark.lower()]
    if not flags.u:
        members = chars.ascii_only(members)
    return chars.negated(members) if mark.isupper() else members


def _property(mark: str, reader: Reader, start: int) -> CharacterSet:
    name = reader.until("}", "incomplete escape sequence") if reader.take("{") else reader.next()
    negative = mark == "P"
    if name.startswith("^"):
        name, negative = name[1:], not negative
    if "!=" in name:
        name, negative = name.replace("!=", "="), not negative
    members = chars.unicode_property(name)
    if members is None:
        raise reader.error("Unicode property not found", start)
    if reader.flags.i:
        members = chars.any_case(members)
    return chars.negated(members) if negative else members


def _hex(mark: str, reader: Reader, start: int) -> str:
    if reader.take("{"):
        digits = reader.until("}", "incomplete escape sequence")
    else:
        digits = reader.text[reader.at : reader.at + _HEX_LENGTHS[mark]]
        reader.at += len(digits)
        if len(digits) < _HEX_LENGTHS[mark]:
            raise reader.error("incomplete escape sequence", start)
    if not digits or digits.strip("0123456789abcdefABCDEF"):
        raise reader.error("invalid hexadecimal digit", start)
    number = int(digits, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise reader.error("hexadecimal literal is not a Unicode scalar value", start)
    return chr(number)
