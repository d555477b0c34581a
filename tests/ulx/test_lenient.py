"""Reading sources that do not parse: every error with its true place, in plain words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.ulx.grammar import parse
from evaltui.ulx.lenient import explain_interpolations, read_leniently
from evaltui.ulx.nearest import Suggestions
from evaltui.ulx.syntax_error import UlxSyntaxError


def found(source: str) -> list[tuple[str, str, str]]:
    """What is marked in the source, the sentence and the hint of every finding."""
    encoded = source.encode()
    return [
        (encoded[span.start : span.end].decode(), problem.plain, problem.hint)
        for problem, span in read_leniently(source, Suggestions()).findings
    ]


def body(text: str) -> str:
    return f"conversation A() {{\n{text}\n}}\n"


@pytest.mark.parametrize(
    ("source", "marked", "sentence", "hint"),
    [
        ("conversaton A() {}", "conversaton", "expected a declaration", "did you mean `conver"),
        ("hello", "hello", "expected a declaration, found `hello`", "a file holds"),
        ("conversation A {}", "{", "expected `(`, found `{`", ""),
        ("conversation A(x) {}", ")", "expected `:`, found `)`", ""),
        ("conversation A(x: text y: text) {}", "y", "expected `,` or `)`, found `y`", ""),
        ("conversation A() { x = 1", "", "found the end of the file", "the `{` of line 1 is"),
        ("judge J() -> Verdict { a: 1, b: 2 }", ",", "expected a name or `}`", "leave the comma"),
        ("type T = A(text)", "", "expected `|`", "needs at least two"),
        ('import jugde J from "x"', "jugde", "expected conversation, ", "did you mean `judge`?"),
        ('import judge J form "x"', "form", "expected `from`, found `form`", "did you mean `from"),
        ("benchmark B { asert x }", "asert", "a benchmark statement", "did you mean `assert`?"),
        ("benchmark B { run: f(x) }", "}", "expected `->`, found `}`", ""),
        ('benchmark B { expect a satisfies b with threshold("x") }', '"x"', "a number", ""),
        (body('user: "x"'), '"x"', "expected a text block, `file(...)` or `@path`", 'quotes: """'),
        (body("x = [1]"), "[", "expected an expression", "no list literals"),
        (body("a.b = 1"), "=", "expected a statement", "only a plain name can be bound"),
        (body("x: text = 1"), ":", "expected a statement", "a binding has no type"),
        (body("with { a = 1, b = 2 }"), ",", "expected a name or `}`", "leave the comma out"),
        (body('match a { "p" => 1 }'), '"p"', "expected an arm or `}`", ""),
        (body("x = match a { _ => 1 }"), "match", "`match` is a statement", "the last statement"),
        (body("if a { 1 }"), "}", "expected `else`, found `}`", ""),
        (body("if a {1} else if b {2} else {3}"), "if", "expected `{`", "there is no `else if`"),
        (body("retry(n) { a }"), "n", "expected a whole number", ""),
        (body("for x of y {1}"), "of", "expected `in`, found `of`", ""),
        (body("f(a b)"), "b", "expected `,` or `)`, found `b`", ""),
        (body("x = 1;"), ";", "`;` is not part of the language", "nothing separates statements"),
        (body("x = a && b"), "&", "`&` is not part of", "write `and`"),
        (body("x = 'é'"), "'", "`'` is not part of the language", "double quotes"),
        (body("x = 99999999999999999999"), "9" * 20, "this number is too large", "92233"),
        (body('x = "open'), '"open\n}\n', "this string is never closed", ""),
        (body("/*** x */"), "/***", "this comment is never closed", "two stars"),
        ("(" * 1001, "(", "brackets nest more than 1000", ""),
        ("\ufeffconversation A() {}", "\ufeff", "is not part", "byte-order mark"),
    ],
)
def test_one_error(source: str, marked: str, sentence: str, hint: str) -> None:
    findings = found(source)
    place, plain, advice = findings[0]
    assert place == marked
    assert sentence in plain
    assert (hint in advice) if hint else not advice


@pytest.mark.parametrize(
    ("text", "marked", "sentence"),
    [
        ("é \\n {a} {b c}", "c", "expected the closing brace, found `c`"),
        ('{f(\\"x\\") g}', "g", "expected the closing brace, found `g`"),
        ('\\t{"a": 1}', ":", "expected the closing brace, found `:`"),
        ("{}", "{}", "this interpolation is empty"),
        ("{a} {b", "{", "this interpolation is never closed"),
        ("\\\\{a ; b}", ";", "`;` is not part of the language"),
        ("{(a}", "}", "expected `,` or `)`, found the closing brace"),
    ],
)
def test_errors_inside_text_blocks_have_their_true_place(
    text: str, marked: str, sentence: str
) -> None:
    source = body(f'x = 1\nuser: """{text}"""')
    findings = read_leniently(source, Suggestions()).findings
    assert len(findings) == 1
    problem, span = findings[0]
    start = source.encode().index(text.encode()) + text.encode().rindex(marked.encode())
    if "found" in sentence and marked == "}":
        assert span.start == start
    else:
        assert (span.start, span.end) == (start, start + len(marked.encode()))
    assert problem.plain.startswith(sentence.partition(",")[0])


def test_every_declaration_is_read_on_its_own() -> None:
    source = (
        "import judge J from 'x'\n"
        "conversation A() {\n  x = 1\n\n"
        'conversation B() {\n  user: "x"\n}\n'
        'conversation C() {\n  x = "open\n}\n'
        'conversation D() {\n  y = "closed"\n}\n'
        "provider P { vendor }\n"
        "conversation E() {}\n"
    )
    assert [sentence.split(", found")[0] for _, sentence, _ in found(source)] == [
        "`'` is not part of the language",
        "expected a statement or `}`",
        "expected a text block, `file(...)` or `@path`",
        "this string is never closed",
        "expected `:`",
    ]


def test_names_of_bad_declarations_stay_known() -> None:
    source = "conversation A( {}\njudge J(s: text) {}\ntype T =\nconversation B() {}\n"
    program = read_leniently(source, Suggestions()).program
    assert [node.name.text for node in program.declarations] == ["A", "J", "T", "B"]


def test_prompt_files_are_explained_in_their_own_places() -> None:
    finding = explain_interpolations('Hello {name}\n{"é": 1}\n')
    assert finding is not None
    assert finding[1].start == len('Hello {name}\n{"é"'.encode())
    assert explain_interpolations("Hello {name}\n") is None


WORDS = (
    "conversation A ( ) { } x = 1 , : -> => if else retry match with user system assistant ask "
    'judge validator benchmark run expect provider type dataset import from "s" "open """ '
    '"""t""" """{a}""" """{}""" /* // ; \' \n \nconversation \njudge \ntype [ ] < > | . $ @p é'
)
soups = st.lists(st.sampled_from(WORDS.split(" ")), max_size=30).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(st.one_of(soups, soups.map(body), st.text(max_size=60)))
def test_exactly_the_sources_that_do_not_parse_have_findings(source: str) -> None:
    reading = read_leniently(source, Suggestions())
    try:
        parse(source)
    except UlxSyntaxError:
        assert reading.findings
    else:
        assert not reading.findings
    size = len(source.encode())
    for problem, span in reading.findings:
        assert problem.plain and 0 <= span.start <= span.end <= size


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='{}"ab\\ .(:é\n', max_size=40))
def test_every_bad_prompt_file_is_explained(text: str) -> None:
    from evaltui.ulx.grammar import parse_interpolated

    finding = explain_interpolations(text)
    try:
        parse_interpolated(text)
    except UlxSyntaxError:
        assert finding is not None and finding[1].end <= len(text.encode())
    else:
        assert finding is None
