"""Plain words for what is wrong with the tokens of a source."""

from __future__ import annotations

from collections.abc import Iterable

from evaltui.text import one_line
from evaltui.ulx.declaration_grammar import IMPORT_KINDS
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.lexer import DEPTH_MESSAGE, END, Tokens, to_text
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.syntax_error import UlxSyntaxError, quoted

LITERAL_BRACE = '`{` begins an interpolation; write `{"{"}` for the character itself'

DECLARATIONS = (*IMPORT_KINDS, "benchmark", "import")
_BENCHMARK = ("dataset", "run", "expect", "assert", "snapshot")
_DECLARED = (
    "a file holds imports and declarations, which begin with conversation, judge, validator, "
    "dataset, type, benchmark or provider"
)
_LONGEST = 30
_CHARACTERS = {
    ";": "nothing separates statements; leave it out",
    "'": "strings are written in double quotes",
    "`": "strings are written in double quotes",
    "#": "a comment begins with `//`",
    "&": "write `and`",
    "!": "write `not`, or `!=` for unequal",
    "\\": "a backslash has a meaning only inside strings and text blocks",
    "@": "a path must follow at once: `@prompts/ask.txt`",
    "?": "",
    "“": 'use straight double quotes: `"`',
    "”": 'use straight double quotes: `"`',
    "‘": 'use straight double quotes: `"`',
    "’": 'use straight double quotes: `"`',
    "\ufeff": "save the file without a byte-order mark",
    "\u00a0": "use an ordinary space",
}


def shown_token(kind: str, value: str | int | float) -> str:
    """A token as a sentence mentions it."""
    match kind:
        case "string":
            return f"the string {one_line(quoted(str(value)), _LONGEST)}"
        case "text":
            return "a text block"
        case "path":
            return f"`@{value}`"
        case _:
            return f"`{one_line(str(value), _LONGEST)}`"


def lexical_problem(spelled: str, error: UlxSyntaxError) -> Problem:
    """A lexical error of a source given one character a byte."""
    if error.custom == DEPTH_MESSAGE:
        plain, hint = "brackets nest more than 1000 levels deep here", ""
    else:
        start, end = error.span
        plain, hint = _bad_token(to_text(spelled[start:end]), spelled[end : end + 2])
    return Problem(Rule.SYNTAX, error.custom or error.report_message(), plain, hint)


def _bad_token(bad: str, following: str) -> tuple[str, str]:
    if bad.startswith('"""'):
        return "this text block is never closed", 'close it with `"""`'
    if bad.startswith('"'):
        hint = "a backslash cannot stand at the end of its line" if following == "\\\n" else ""
        return "this string is never closed", hint
    if bad.startswith("/*"):
        hint = "inside a comment two stars in a row must be followed by `/`" if "**" in bad else ""
        return "this comment is never closed", hint or "close it with `*/`"
    if bad.isdigit():
        return "this number is too large", "the largest whole number is 9223372036854775807"
    return f"`{bad}` is not part of the language", _CHARACTERS.get(bad[:1], "")


def syntax_hint(tokens: Tokens, at: int, wanted: Iterable[str], suggest: Suggest) -> str:
    """What to do where token ``at`` stands instead of one of ``wanted``; may be empty."""
    kind, value = tokens.kinds[at], str(tokens.values[at])
    before = tokens.kinds[max(at - 2, 0) : at]
    wanted = set(wanted)
    if kind == "ident" and tokens.values[at - 1] == "else" and value == "if":
        return "there is no `else if`; put the `if` inside the braces of the `else`"
    if "`|`" in wanted:
        return "a type with variants needs at least two of them"
    if kind == "ident":
        return _misspelt(value, wanted, suggest)
    if kind == "string" and any("text block" in what for what in wanted):
        return 'write the text between three quotes: """..."""'
    if kind == "[" and "an expression" in wanted:
        return "there are no list literals"
    if kind == "," and "`,`" not in wanted:
        return "nothing separates these; leave the comma out"
    if kind == "=" and before and (before[-1] == "]" or before == [".", "ident"]):
        return "only a plain name can be bound"
    if kind == ":" and before and before[-1] == "ident" and "a statement" in wanted:
        return "a binding has no type: `name = value`"
    return ""


def _misspelt(word: str, wanted: set[str], suggest: Suggest) -> str:
    if "a declaration" in wanted:
        return suggest(word, DECLARATIONS) or _DECLARED
    if "a benchmark statement" in wanted:
        return suggest(word, _BENCHMARK)
    words = [what.strip("`") for what in wanted if what.strip("`").isalpha()]
    if any(", " in what for what in wanted):
        words += IMPORT_KINDS
    return suggest(word, words)


def unclosed(tokens: Tokens, at: int) -> int | None:
    """The innermost bracket before token ``at`` that is still open there."""
    open_: list[int] = []
    for index in range(at):
        kind = tokens.kinds[index]
        if kind in ("(", "[", "{"):
            open_.append(index)
        elif kind in (")", "]", "}") and open_:
            open_.pop()
    return open_[-1] if open_ else None


def long_string(tokens: Tokens, at: int, spelled: str) -> int | None:
    """The string before or at token ``at`` when it goes over several lines."""
    for index in (at, at - 1):
        text = spelled[tokens.starts[index] : tokens.ends[index]]
        if index >= 0 and tokens.kinds[index] == "string" and "\n" in text:
            return index
    return None


def is_end(tokens: Tokens, at: int) -> bool:
    """Whether token ``at`` is the end of the input."""
    return tokens.kinds[at] == END
