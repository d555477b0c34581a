"""Parsing: source text to tree.

A fast predictive parser builds the tree. Only when it finds that the source is no program do the
slower rules of ``exact_grammar`` work out which place and which expected tokens to report.
"""

from __future__ import annotations

from evaltui.ulx.cursor import Mismatch
from evaltui.ulx.declaration_grammar import ProgramParser
from evaltui.ulx.depth import deep_recursion
from evaltui.ulx.exact_grammar import ExactGrammar
from evaltui.ulx.failures import Failure
from evaltui.ulx.interpolation import UNTERMINATED, split_text
from evaltui.ulx.lexer import Tokens, to_bytes, tokenize
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Program, Span, TextBlock


def parse(source: str) -> Program:
    """The tree of a whole file, with spans in bytes of its UTF-8 form.

    Raises ``UlxSyntaxError`` with the place the reference reports.
    """
    spelled = to_bytes(source)
    tokens = tokenize(spelled)
    with deep_recursion(len(spelled)):
        parser = ProgramParser(tokens)
        try:
            return parser.program()
        except Mismatch:
            pass
        raise _program_error(tokens, parser.items)


def parse_interpolated(text: str, base_offset: int = 0) -> TextBlock:
    """The parts of a prompt file's whole ``text``, with spans moved by ``base_offset``.

    Raises ``UlxSyntaxError`` with a custom text of language specification 1.6.
    """
    spelled = to_bytes(text)
    span = Span(base_offset, base_offset + len(spelled))
    with deep_recursion(len(spelled)):
        try:
            parser = ProgramParser(Tokens([], [], [], []))
            return TextBlock(parser.interpolated(spelled, base_offset), span)
        except Mismatch:
            pass
        raise UlxSyntaxError(span, custom=interpolation_problem(spelled))


def interpolation_problem(content: str) -> str | None:
    """Why decoded ``content`` (one character a byte) cannot be read as text; None when it can."""
    pieces = split_text(content)
    if pieces is None:
        pieces = split_text(content[: _unclosed(content)]) or []
        problems = [_code_problem(piece.source) for piece in pieces if piece.is_code]
        return next(filter(None, problems), UNTERMINATED)
    problems = [_code_problem(piece.source) for piece in pieces if piece.is_code]
    return next(filter(None, problems), None)


def _unclosed(content: str) -> int:
    return content.find("{", content.rfind("}") + 1)


def _code_problem(source: str) -> str | None:
    try:
        tokens = tokenize(source)
    except UlxSyntaxError as error:
        return f"{error.custom} at offset {error.span.start}"
    failure = _exact(tokens).expression_failure()
    return None if failure is None else f"[{_error(tokens, failure).raw()}]"


def _program_error(tokens: Tokens, items: list[int]) -> UlxSyntaxError:
    # The last good item can share the failing index; those before it end too early to matter.
    start = items[-2] if len(items) > 1 else 0
    failure = _exact(tokens).program_failure(start)
    assert failure is not None, "the two grammars disagree"
    return _error(tokens, failure)


def _exact(tokens: Tokens) -> ExactGrammar:
    known: dict[int, bool] = {}

    def is_good_text(at: int) -> bool:
        if at not in known:
            known[at] = interpolation_problem(str(tokens.values[at])) is None
        return known[at]

    return ExactGrammar(tokens, is_good_text)


def _error(tokens: Tokens, failure: Failure) -> UlxSyntaxError:
    at = failure.text_block
    if at >= 0:
        custom = interpolation_problem(str(tokens.values[at]))
        return UlxSyntaxError(tokens.span(at), expected=failure.expected, custom=custom)
    return UlxSyntaxError(
        tokens.span(failure.at), found=tokens.found(failure.at), expected=failure.expected
    )
