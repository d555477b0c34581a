"""The canonical form of a program with its comments and single blank lines kept.

The tokens of the source and of its canonical text are the same but for parentheses, commas and the
order of imports. They are laid side by side, and what stood between two tokens of the source is put
between the same two tokens of the canonical text.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from evaltui.ulx.formatter import FormatError, format_source
from evaltui.ulx.gap_text import GapWriter
from evaltui.ulx.grammar import parse
from evaltui.ulx.lexer import END, Tokens, to_bytes, to_text, tokenize
from evaltui.ulx.same_tree import same_tree
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Program
from evaltui.ulx.trivia import Gap, comment_texts, gaps, inner_comments

_MOVABLE = frozenset("(),")
"""Tokens that the canonical form may add or drop."""


def format_with_comments(source: str) -> str:
    """The canonical text of ``source`` with all comments, which parses to the same tree.

    Raises ``UlxSyntaxError`` when ``source`` does not parse and ``FormatError`` when there is no
    text that keeps meaning and comments.
    """
    program = parse(source)
    original = _Written.of(to_bytes(source))
    formatted = format_source(source)
    canonical = _Written.of(to_bytes(formatted))
    if len(_fixed(original.tokens)) != len(_fixed(canonical.tokens)):
        raise FormatError(formatted, None)
    text = to_text("".join(_woven(original, program, canonical)))
    _verify(text, program, original)
    return text


class _Written(Struct, frozen=True):
    """A source, its tokens and the gap before each of them."""

    spelled: str
    tokens: Tokens
    gaps: list[Gap]

    @classmethod
    def of(cls, spelled: str) -> _Written:
        tokens = tokenize(spelled)
        return cls(spelled, tokens, gaps(spelled, tokens))

    def text(self, index: int) -> str:
        return self.spelled[self.tokens.starts[index] : self.tokens.ends[index]]


def _verify(text: str, program: Program, original: _Written) -> None:
    try:
        kept = same_tree(parse(text), program)
    except UlxSyntaxError as error:
        raise FormatError(text, error) from error
    woven = _Written.of(to_bytes(text))
    before = sorted(comment_texts(original.spelled, original.tokens))
    if not kept or sorted(comment_texts(woven.spelled, woven.tokens)) != before:
        raise FormatError(text, None)


Step = tuple[Gap, int]
"""A token of the source by its index, and what stands before it."""


def _in_canonical_order(original: _Written, program: Program) -> list[Step]:
    """All tokens of the source, imports first; comments go with the item they belong to.

    Comments that an empty line parts from the first item stay at the top of the file.
    """
    spans = [node.span for node in (*program.imports, *program.declarations)]
    by_start = {original.tokens.starts[number]: number for number in range(len(original.gaps))}
    firsts = [by_start[span.start] for span in spans]
    ends = sorted([*firsts, len(original.gaps) - 1])
    following = dict(zip(ends, [*ends[1:], ends[-1]], strict=True))
    steps: list[Step] = []
    after, beginning = original.gaps[0].split_at_blank()
    for first in [*firsts, ends[-1]]:
        before = original.gaps[first] if first else beginning
        steps.append((after.then(before.on_own_lines()), first))
        last = following[first]
        steps += [(original.gaps[index], index) for index in range(first + 1, last)]
        after = original.gaps[last].on_same_line()
    return steps


def _woven(original: _Written, program: Program, canonical: _Written) -> Iterator[str]:
    writer = GapWriter()
    fixed = _fixed(canonical.tokens)
    zones = _zones(_in_canonical_order(original, program), original.tokens)
    before = 0
    for (run, index), position in zip(zones, fixed, strict=True):
        placed = _placed(run, original.tokens, canonical.tokens.kinds[before:position])
        numbers = range(before, position + 1)
        whites = [_white(canonical, number) for number in numbers]
        placed = _line_comments_last(placed, ["\n" in white for white in whites])
        for number, gap, white in zip(numbers, placed, whites, strict=True):
            yield writer.gap(gap, white, *_around(canonical.tokens, number))
            yield canonical.text(number) if number < position else ""
        yield _token_text(original, index, canonical, position)
        before = position + 1


def _fixed(tokens: Tokens) -> list[int]:
    return [index for index, kind in enumerate(tokens.kinds) if kind not in _MOVABLE]


def _zones(steps: list[Step], tokens: Tokens) -> Iterator[tuple[list[Step], int]]:
    """For every token that stays, the steps since the one before it, its own included."""
    run: list[Step] = []
    for step in steps:
        run.append(step)
        if tokens.kinds[step[1]] not in _MOVABLE:
            yield run, step[1]
            run = []


def _placed(run: list[Step], tokens: Tokens, kept: list[str]) -> list[Gap]:
    """The gaps of ``run`` between the movable tokens ``kept`` in the canonical text."""
    placed = [Gap() for _ in range(len(kept) + 1)]
    at = 0
    for gap, index in run:
        placed[at] = placed[at].then(gap)
        if at < len(kept) and tokens.kinds[index] == kept[at]:
            at += 1
    return placed


def _line_comments_last(placed: list[Gap], breaks: list[bool]) -> list[Gap]:
    """Line comments before closers and commas move behind them where the line ends there."""
    end = breaks.index(True) if True in breaks else 0
    moved = [one for gap in placed[:end] for one in gap.comments if one.is_line]
    beside = placed[end].comments[:1]
    if not moved or (beside and not beside[0].starts_line):
        return placed
    first = replace(moved[0], starts_line=False, blank_before=False)
    kept = [
        replace(gap, comments=tuple([one for one in gap.comments if not one.is_line]))
        for gap in placed[:end]
    ]
    last = Gap((first, *moved[1:]), ends_line=True).then(placed[end])
    return [*kept, last, *placed[end + 1 :]]


def _white(written: _Written, index: int) -> str:
    start = written.tokens.ends[index - 1] if index else 0
    return written.spelled[start : written.tokens.starts[index]]


def _around(tokens: Tokens, index: int) -> tuple[str, str]:
    return (tokens.kinds[index - 1] if index else ""), tokens.kinds[index]


def _token_text(original: _Written, index: int, canonical: _Written, position: int) -> str:
    tokens = original.tokens
    # The canonical spelling of an interpolation has no room for comments.
    if tokens.kinds[index] == "text" and inner_comments(str(tokens.values[index])):
        return original.text(index)
    return "" if canonical.tokens.kinds[position] == END else canonical.text(position)
