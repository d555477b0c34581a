"""Reading a source that may not parse: everything that can be told about it, and what is left.

A source that parses is read as always. Otherwise it is cut at the lines that begin a declaration or
import, and every piece is read on its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct

from evaltui.ulx import tree
from evaltui.ulx.cursor import Mismatch
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.explaining import Explained, ExplainingParser
from evaltui.ulx.furthest import Furthest
from evaltui.ulx.grammar import parse
from evaltui.ulx.lexer import END, Tokens, check_depth, to_bytes, tokenize
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.recovery import HEAD, scan_leniently
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.syntax_hints import (
    DECLARATIONS,
    is_end,
    lexical_problem,
    long_string,
    syntax_hint,
    unclosed,
)
from evaltui.ulx.tree import Block, Name, Program, Span
from evaltui.ulx.true_spans import TextPlaces, TrueSpans

Finding = tuple[Problem, Span]

MAX_FINDINGS = 50


class Reading(Struct, frozen=True):
    """What is left of a source: its good items and names of bad ones, and its syntax errors."""

    source: str
    program: Program
    findings: tuple[Finding, ...]
    spans: TrueSpans


def read_leniently(source: str, suggest: Suggest) -> Reading:
    """Read ``source``; a source that parses has no findings."""
    spelled = to_bytes(source)
    try:
        return Reading(source, parse(source), (), TrueSpans(spelled, lambda: tokenize(spelled)))
    except UlxSyntaxError as error:
        return _Reader(source, spelled, suggest).read(error)


def explain_interpolations(source: str) -> Finding | None:
    """What is wrong with the interpolations of a prompt file, and where in the file."""
    spelled = to_bytes(source)
    parser = ExplainingParser(Tokens([END], [""], [0], [0]), spelled, "the end of the file")
    with deep_recursion(len(spelled)):
        try:
            parser.explain_text(spelled, TextPlaces.plain(len(spelled)))
        except Explained:
            failure = parser.furthest
            problem = Problem(Rule.PROMPT_FILE, failure.said, failure.said, failure.hint)
            return problem, failure.place
    return None


class _Reader:
    """Reads one source that is no program."""

    def __init__(self, source: str, spelled: str, suggest: Suggest) -> None:
        self._source = source
        self._spelled = spelled
        self._suggest = suggest
        self._findings: list[Finding] = []
        self._imports: list[tree.Import] = []
        self._declarations: list[tree.Declaration] = []

    def read(self, error: UlxSyntaxError) -> Reading:
        tokens, lexical = scan_leniently(self._spelled)
        try:
            check_depth(tokens)
        except UlxSyntaxError as too_deep:
            lexical.append(too_deep)
        else:
            with deep_recursion(len(self._spelled)):
                self._pieces(tokens, [one.span.start for one in lexical])
        self._note_lexical(lexical)
        if not self._findings:
            message = error.custom or error.report_message()
            self._findings.append((Problem(Rule.SYNTAX, message, message), error.span))
        self._findings.sort(key=lambda found: found[1])
        program = Program(tuple(self._imports), tuple(self._declarations))
        spans = TrueSpans(self._spelled, lambda: tokens)
        return Reading(self._source, program, tuple(self._findings[:MAX_FINDINGS]), spans)

    def _note_lexical(self, errors: list[UlxSyntaxError]) -> None:
        seen: set[tuple[int, str]] = set()
        for error in errors:
            problem = lexical_problem(self._spelled, error)
            key = (self._line(error.span.start), problem.plain)
            if key not in seen:
                self._findings.append((problem, error.span))
            seen.add(key)

    def _line(self, offset: int) -> int:
        return self._spelled.count("\n", 0, offset) + 1

    def _pieces(self, tokens: Tokens, lexical: list[int]) -> None:
        starts = [*_beginnings(self._spelled, tokens), len(tokens.kinds) - 1]
        for number, first in enumerate(starts[:-1]):
            last = starts[number + 1]
            piece = _piece(tokens, first, last)
            end = "the end of the file" if is_end(tokens, last) else "the next declaration"
            failure = self._items(piece, end)
            if failure is not None:
                until = tokens.starts[last]
                hidden = [at for at in lexical if tokens.starts[first] <= at < until]
                at_end = failure.place.start == piece.starts[-1]
                if not hidden or (failure.place.start < hidden[0] and not at_end):
                    self._findings.append((self._problem(piece, failure), failure.place))

    def _items(self, piece: Tokens, end: str) -> Furthest | None:
        """Read the items of a piece up to the first bad one, of which only the name is kept."""
        parser = ExplainingParser(piece, self._spelled, end)
        while piece.kinds[parser.at] != END:
            start = parser.at
            try:
                item = parser.item()
            except (Mismatch, Explained):
                self._declarations += _placeholder(piece, start)
                return parser.furthest
            if isinstance(item, tree.NamedImport | tree.ModuleImport):
                self._imports.append(item)
            else:
                self._declarations.append(item)
        return None

    def _problem(self, piece: Tokens, failure: Furthest) -> Problem:
        at = bisect_right(piece.starts, failure.place.start) - 1
        hint = failure.hint
        if not hint and not failure.said:
            hint = syntax_hint(piece, at, failure.wanted, self._suggest)
        hint = hint or self._bracket_hint(piece, at) or self._string_hint(piece, at)
        sentence = failure.sentence()
        return Problem(Rule.SYNTAX, sentence, sentence, hint)

    def _bracket_hint(self, piece: Tokens, at: int) -> str:
        index = unclosed(piece, at) if is_end(piece, at) else None
        if index is None:
            return ""
        line = self._line(piece.starts[index])
        return f"the `{piece.kinds[index]}` of line {line} is never closed"

    def _string_hint(self, piece: Tokens, at: int) -> str:
        index = long_string(piece, at, self._spelled)
        if index is None:
            return ""
        line = self._line(piece.starts[index])
        return f"the string that begins in line {line} ends in another line: is a quote missing?"


def _beginnings(spelled: str, tokens: Tokens) -> Iterator[int]:
    """The tokens that begin a piece: the first, and those that begin a line and a declaration."""
    depth = 0
    for index, (kind, start) in enumerate(zip(tokens.kinds, tokens.starts, strict=True)):
        begins_line = kind == "ident" and spelled[start - 1 : start] in ("", "\n")
        if index == 0 or (begins_line and _begins_item(spelled, tokens, index, depth)):
            depth = 0
            if kind != END:
                yield index
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in (")", "]", "}"):
            depth = max(depth - 1, 0)


def _begins_item(spelled: str, tokens: Tokens, index: int, depth: int) -> bool:
    if depth == 0:
        return tokens.values[index] in DECLARATIONS or tokens.kinds[index + 1] == "ident"
    if HEAD.match(spelled, tokens.starts[index]) is None:
        return False
    return tokens.values[index] not in ("judge", "validator") or _has_result(tokens, index + 3)


def _has_result(tokens: Tokens, at: int) -> bool:
    """Whether a result or body follows the parentheses whose content begins at token ``at``."""
    depth = 1
    while depth and tokens.kinds[at] != END:
        depth += (tokens.kinds[at] == "(") - (tokens.kinds[at] == ")")
        at += 1
    return tokens.kinds[at] in ("->", "{")


def _piece(tokens: Tokens, first: int, last: int) -> Tokens:
    end = tokens.starts[last] if is_end(tokens, last) else tokens.ends[last - 1]
    return Tokens(
        [*tokens.kinds[first:last], END],
        [*tokens.values[first:last], ""],
        [*tokens.starts[first:last], end],
        [*tokens.ends[first:last], end],
    )


def _placeholder(piece: Tokens, start: int) -> list[tree.Declaration]:
    """A declaration that has nothing but the name of the bad item that begins at ``start``."""
    words = [str(value) for value in piece.values[start : start + 3]]
    kinds = piece.kinds[start : start + 3]
    if words[0] == "import":
        words, kinds, start = words[1:], kinds[1:], start + 1
    if kinds[:2] != ["ident", "ident"]:
        return []
    name = Name(words[1], piece.span(start + 1))
    nothing = Block((), None, name.span)
    text = tree.ArtifactType("text")
    match words[0]:
        case "judge" | "validator":
            kind = tree.RubricKind(words[0])
            return [tree.Rubric(kind, name, (), text, (), name.span)]
        case "provider":
            vendor = (Name("vendor", name.span), tree.StringLiteral("", name.span))
            return [tree.Provider(name, None, (vendor,), name.span)]
        case "dataset":
            return [tree.Dataset(name, text, None, (), name.span)]
        case "type":
            return [tree.TypeDeclaration(name, text, name.span)]
        case "benchmark":
            return [tree.Benchmark(name, (), name.span)]
        case "conversation":
            return [tree.Conversation(name, (), None, nothing, name.span)]
        case _:
            return []
