"""The formatter that keeps comments and single empty lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.ulx.formatter import FormatError, format_source
from evaltui.ulx.grammar import parse
from evaltui.ulx.lexer import to_bytes, to_text, tokenize
from evaltui.ulx.same_tree import same_tree
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.weaving import format_with_comments

PROGRAMS = (
    'import "llm" as llm judge J(s: text,) -> Verdict {rubric: """r {s}""" k: {a: 1, b: {}}}'
    ' import judge K from "k.ulx" type T = A | B(text) type U = {a: [text], b: list<3>}',
    'dataset D: text {[{a: 1}, {}, {b: (2)},]} dataset E: text {from "e"} dataset F: text {[]}'
    " benchmark B {dataset: D run: f(a: ($.a)) -> r expect r satisfies judge J(r) with"
    ' threshold(1) assert (a < b) > (c and d) snapshot r as """k{$.a}"""}',
    'conversation A(a: text, b: text) -> text {system: """s""" user: @p.txt assistant -> x: text'
    " with {m = 1 n = f(2)} match judge J(x) {Pass => {} Fail(r) => (r) Score(_) => ({}) Q() => {y"
    " = 1} _ => {a: 1}} for i in x {break} while not (a == b) {break 1} z = (retry(1) {a} else b)"
    ' + c w = if a {1} else {} ask chat(provider: "p") {user: """q"""} -> t escalate(h, k: 1)'
    " v = f(ask chat() {}).g[0] (f)(x, g<text>(y), -(-a) - (b - c)) }",
    'provider P from "x" {chat: "m" vision: {model: "v", t: 2.50}} conversation C() {match a {}}',
)


@pytest.mark.parametrize("source", PROGRAMS)
def test_without_comments_the_result_is_the_canonical_form(source: str) -> None:
    assert format_with_comments(source) == format_source(source)


KEPT = '''\
// license

// what it imports
import judge J from "j.ulx" // why

import "llm" as llm

/// documentation
/* of A */
conversation A(a: text, /* second */ b: text) -> text { // opens
  // first
  user: """hello {a /* inside */}""" // trailing
  assistant -> r

  /* leading */ x = f(a /* last */)
  x = f(a, // one
      b // two
      ) // three
  match judge J(r) {
    Pass => r // fine
    // all others

    _ => {
      // nothing
    }
  }
  y = a + // why
      b
  z = {
    // none
  }

  // at the end
}

dataset D: text {
  [
    {a: 1}, // row 1
    // row 2
    {a: 2}

    // no more
  ]
}

conversation E() { /* empty */ }

conversation G() { // note
}
// the end
'''


def test_a_formatted_file_stays_as_it_is() -> None:
    assert format_with_comments(KEPT) == KEPT


@pytest.mark.parametrize(
    ("source", "formatted"),
    [
        ("// only", "// only\n"),
        ("\n\n/* a */ // b\n\n\n// c", "/* a */ // b\n\n// c\n"),
        ("type A = text // a\n// b\ntype B = text", "type A = text // a\n\n// b\ntype B = text\n"),
        ("type A = text\n// of A\n\ntype B = text", "type A = text\n// of A\n\ntype B = text\n"),
        ("type A = text /* a */ type B = text", "type A = text /* a */\n\ntype B = text\n"),
        (
            'type A = text // a\n// i\nimport "llm" as l // l\n',
            '// i\nimport "llm" as l // l\n\ntype A = text // a\n',
        ),
        (
            '// license\n\n// A\ntype A = text\nimport "llm" as l',
            '// license\n\nimport "llm" as l\n\n// A\ntype A = text\n',
        ),
        (
            "conversation A() {\n\n\n  x = 1\n\n\n\n  y = 2\n  z = 3\n\n}",
            "conversation A() {\n  x = 1\n\n  y = 2\n  z = 3\n}\n",
        ),
        (
            "conversation A() {x = f(\n  a, // a\n  b // b\n)\ny = 1}",
            "conversation A() {\n  x = f(a, // a\n      b) // b\n  y = 1\n}\n",
        ),
        (
            "conversation A() { x = ((1 /* one */)) // end \t\r\n}",
            "conversation A() {\n  x = 1 /* one */ // end\n}\n",
        ),
        ('conversation A() { x = """{ a /* é */ }""" }', None),
        ("conversation A() { x = @p // not the path\n .y }", None),
        (
            "conversation A() { x = g(f(a // a\n), b) }",
            "conversation A() {\n  x = g(f(a // a\n      ), b)\n}\n",
        ),
        (
            "conversation A() { x = (a // a\n) + b }",
            "conversation A() {\n  x = a // a\n      + b\n}\n",
        ),
        (
            "conversation A() { x = f( // nothing\n) y = list<text>(a // a\n, // b\n) }",
            "conversation A() {\n  x = f() // nothing\n  y = list<text>(a) // a\n  // b\n}\n",
        ),
        (
            "conversation A() { ask chat(a // a\n) {} -> y x = i[0 // first\n] }",
            "conversation A() {\n  ask chat(a // a\n      ) {} -> y\n"
            "  x = i[0 // first\n      ]\n}\n",
        ),
    ],
)
def test_where_comments_go(source: str, formatted: str | None) -> None:
    result = format_with_comments(source)
    assert format_with_comments(result) == result
    assert same_tree(parse(result), parse(source))
    if formatted is not None:
        assert result == formatted


def test_a_source_that_does_not_parse_is_refused() -> None:
    with pytest.raises(UlxSyntaxError):
        format_with_comments("conversation A( // no\n")


blanks = st.sampled_from([" ", "\n", "\n\n", "\n\n\n", "\r\n", "  ", "\t"])
comments = st.sampled_from(["//#\n", "// #\n", "/// #\n", "/*#*/", "/* #\n * x */", "/** # é **/"])
trivia = st.lists(st.one_of(blanks, comments), max_size=3).map("".join)


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A program with comments anywhere, each with a number of its own between ``‹`` and ``›``."""
    spelled = to_bytes(draw(st.sampled_from(PROGRAMS)))
    tokens = tokenize(spelled)
    chosen = draw(st.sets(st.integers(0, len(tokens.kinds) - 1), max_size=12))
    pieces = []
    for index, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        pieces.append(f" {draw(trivia)} " if index in chosen else " ")
        pieces.append(to_text(spelled[start:end]))
    parts = "".join(pieces).split("#")
    return "".join(f"{part}‹{number}›" for number, part in enumerate(parts[:-1])) + parts[-1]


@settings(max_examples=400, deadline=None)
@given(commented())
def test_every_comment_survives_once_and_the_meaning_stays(source: str) -> None:
    formatted = format_with_comments(source)
    assert same_tree(parse(formatted), parse(source))
    assert format_with_comments(formatted) == formatted
    for number in range(source.count("‹")):
        assert formatted.count(f"‹{number}›") == 1
    assert "\n\n\n" not in formatted and not any(
        line.endswith((" ", "\t", "\r")) for line in formatted.split("\n")
    )


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='/*\n "{}()ax=,:', max_size=40))
def test_any_text_is_formatted_or_refused(text: str) -> None:
    try:
        formatted = format_with_comments(f"conversation A() {{ {text} }}")
    except (UlxSyntaxError, FormatError):
        return
    assert format_with_comments(formatted) == formatted
