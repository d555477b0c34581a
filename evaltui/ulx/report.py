"""Drawing a finding with the source lines it is about (language specification 5.1)."""

from __future__ import annotations

from functools import lru_cache

from evaltui.text import safe
from evaltui.ulx.diagnostics import Diagnostic, Problem, Rule, Severity
from evaltui.ulx.positions import ReferenceLines
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Span

_RED = "\x1b[31m"
_YELLOW = "\x1b[33m"
_GREY = "\x1b[38;5;246m"
_RESET = "\x1b[0m"
_TAB = 4
_WIDEST = 2_000
"""Characters of a line that are drawn."""


def draw_syntax_error(error: UlxSyntaxError, name: str, source: str) -> str:
    """The report of a source that does not parse, ending in a newline."""
    message = error.report_message()
    problem = Problem(Rule.SYNTAX, message, message)
    return draw(Diagnostic(Severity.ERROR, problem, error.span, name, source))


def draw(diagnostic: Diagnostic) -> str:
    """The report of one finding, coloured, ending in a newline."""
    message = safe(diagnostic.message, newlines=True)
    head = f"{_RED}Error:{_RESET} {message}\n"
    source = diagnostic.source
    lines = _lines_of(source)
    start, end = _clamped(diagnostic.span, lines.byte_length)
    if max(start, end - 1) > len(source):
        return head
    colour = _RED if diagnostic.severity is Severity.ERROR else _YELLOW
    first, last = lines.line(start), lines.line(max(start, end - 1))
    line, column = lines.place(start)
    block = _Block(len(str(last + 1)), colour, message)
    rows = [block.top(f"{safe(diagnostic.file)}:{line}:{column}"), block.bar()]
    if first == last:
        cut = max(column - 1 - _WIDEST // 2, 0)
        text, place = lines.text(first, cut, _WIDEST), column - 1 - cut
        rows += block.one_line(line, text, place, min(place + end - start, _WIDEST))
    else:
        shown = lines.text(first, width=_WIDEST), lines.text(last, width=_WIDEST)
        rows += block.several_lines(line, shown[0], last + 1, shown[1])
    return head + "".join([row + "\n" for row in [*rows, block.bottom()]])


@lru_cache(maxsize=4)
def _lines_of(source: str) -> ReferenceLines:
    return ReferenceLines(source)


def _clamped(span: Span, length: int) -> Span:
    return Span(0, min(1, length)) if span.end > length else span


class _Block:
    """The rows of a report whose line numbers take ``width`` digits."""

    def __init__(self, width: int, colour: str, message: str) -> None:
        self._width = width
        self._colour = colour
        self._message = message

    def top(self, place: str) -> str:
        return f"{_grey(' ' * (self._width + 2) + '╭─[')}{place}{_grey(']')}"

    def bar(self, sign: str = "│") -> str:
        return _grey(" " * (self._width + 2) + sign)

    def bottom(self) -> str:
        return _grey("─" * (self._width + 2) + "╯")

    def one_line(self, number: int, text: str, start: int, end: int) -> list[str]:
        before, marked = _widened(text, start, end)
        middle = marked // 2
        mark = "─" * middle + "┬" + "─" * (marked - middle - 1) if marked else "│"
        arm = "╰" + "─" * (max(marked, 1) - middle + 1)
        return [
            self._code(number, _shown(text)),
            f"{self.bar('│')} {' ' * before}{self._coloured(mark)}  ",
            f"{self.bar('│')} {' ' * (before + middle)}{self._coloured(arm)} {self._message}",
        ]

    def several_lines(self, number: int, text: str, last: int, last_text: str) -> list[str]:
        gap = [f"{self.bar('┆')} {self._coloured('┆')}"] if last - number > 1 else []
        return [
            self._code(number, f"{self._coloured('╭─▶')} {_shown(text)}"),
            *gap,
            self._code(last, f"{self._coloured('├─▶')} {_shown(last_text)}"),
            f"{self.bar('│')} {self._coloured('│')}",
            f"{self.bar('│')} {self._coloured('╰' + '─' * 6)} {self._message}",
        ]

    def _code(self, number: int, text: str) -> str:
        return f"{_grey(f' {number:>{self._width}} │')} {text}"

    def _coloured(self, text: str) -> str:
        return f"{self._colour}{text}{_RESET}"


def _grey(text: str) -> str:
    return f"{_GREY}{text}{_RESET}"


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """How many columns lie before the marked part, and how many it takes, once tabs are widened."""
    before = len(_tabs_widened(text[:start]))
    padded = text + " " * (end - len(text))
    return before, len(_tabs_widened(padded[:end])) - before


def _tabs_widened(text: str) -> str:
    return text.expandtabs(_TAB)


def _shown(text: str) -> str:
    return safe(_tabs_widened(text))
