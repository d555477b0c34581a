"""Where a source stops being a program (language specification, appendices A to C)."""

from __future__ import annotations

import pytest

from evaltui.ulx.grammar import parse
from evaltui.ulx.syntax_error import UlxSyntaxError

STARTERS = "( } $ { -"
OPERATORS = ". ( [ * / + - == != <= >= < >"
BOTH = f"{STARTERS} {OPERATORS}"


def failure(source: str) -> UlxSyntaxError:
    with pytest.raises(UlxSyntaxError) as caught:
        parse(source)
    return caught.value


def rest(source: str, error: UlxSyntaxError) -> str:
    """The source from where the error is."""
    return source.encode()[error.span.start :].decode()


@pytest.mark.parametrize(
    ("source", "found", "expected", "at"),
    [
        ("hello", "hello", "end", "hello"),
        ("conversation A() {} }", "}", "end", "}"),
        ("conversation A() { x = 1", "end of input", BOTH, ""),
        ("conversation A {", "{", "(", "{"),
        ("conversation A(x)", ")", ":", ")"),
        ("conversation A(x: text y: text) {}", "y", ") ,", "y: text) {"),
        ("judge J() {", "{", "->", "{"),
        ("judge J() -> Verdict { a: 1, b: 2 }", ",", f"{OPERATORS} }}", ", b: 2 }"),
        ("dataset D {", "{", ":", "{"),
        ("dataset D: text { }", "}", "[", "}"),
        ("type T = A(text)", "(", "end", "(text)"),
        ('import benchmark B from "x"', "benchmark", "", "benchmark "),
        ("benchmark B { metric: x }", "metric", "}", "metric: x "),
    ],
)
def test_items_that_are_wrong(source: str, found: str, expected: str, at: str) -> None:
    error = failure(source)
    wanted = {"end of input" if token == "end" else token for token in expected.split()}
    assert error.expected == wanted
    assert rest(source, error).startswith(at)
    assert error.report_message().startswith((f"found {found} but", f"unexpected {found}"))


@pytest.mark.parametrize(
    ("body", "found", "expected", "at"),
    [
        ('system: "x"', ":", BOTH, ': "x"'),
        ("user: name", ":", BOTH, ": name }"),
        ("x = [1]", "=", BOTH, "= [1]"),
        ("x = .5", "=", BOTH, "= .5"),
        ('x = """{}"""', "=", BOTH, '= """{}"""'),
        ("a.b = 1", "=", BOTH, "= 1"),
        ("a[0] = 1", "=", BOTH, "= 1"),
        ("x: text = 1", ":", BOTH, ": text = 1"),
        ("with { a = 1, b = 2 }", "=", ":", "= 1, b = 2"),
        ("match a { P => 1, _ => 2 }", "=>", ":", "=> 1, _ =>"),
        ('match a { "p" => 1 }', '"p"', "}", '"p" => 1 }'),
        ("x = match a { _ => 1 }", "=>", ":", "=> 1 }"),
        ("if a { b }", "}", ":", "} }"),
        ("if a { 1 }", "1", "}", "1 }"),
        ("retry(n) { a }", "}", ":", "} }"),
        ("ask chat() {} ->", "->", BOTH, "->"),
        ("a.", "}", "", "}"),
        ("f(,)", ",", ") ( $ { -", ",)"),
        ("f(a b)", "b", f"{OPERATORS} ) , :", "b)"),
        ("[1]", "[", STARTERS, "[1]"),
    ],
)
def test_statements_that_are_wrong(body: str, found: str, expected: str, at: str) -> None:
    source = f"conversation A() {{ {body} }}"
    error = failure(source)
    assert error.expected == set(expected.split())
    assert rest(source, error).startswith(at)
    assert error.report_message().startswith((f"found {found} but", f"unexpected {found}"))


def test_a_bad_interpolation_is_an_error_of_its_own_where_no_other_reading_exists() -> None:
    error = failure('judge J() -> Verdict { rubric: """say {a b}""" }')
    assert error.custom is not None
    assert error.custom.startswith("[Simple { span: 2..3, reason: Unexpected")
    assert error.report_message() == "unexpected end of input"


@pytest.mark.parametrize(
    ("text", "custom"),
    [
        ("{", "unterminated interpolation `{`"),
        ("{a ; b}", "unrecognized character at offset 2"),
        (
            "{99999999999999999999}",
            "integer literal `99999999999999999999` is too large to fit in a 64-bit integer "
            "at offset 0",
        ),
        ("{a} {b ;} {", "unrecognized character at offset 2"),
    ],
)
def test_the_first_thing_wrong_in_a_text_block_is_named(text: str, custom: str) -> None:
    assert failure(f'judge J() -> Verdict {{ rubric: """{text}""" }}').custom == custom


def test_the_dump_names_tokens_as_the_reference_does() -> None:
    error = failure('conversation A() { x = 1 user: "y" }')
    dump = error.dump("/w/a.ulx")
    assert dump.startswith("/w/a.ulx failed to parse: [Simple { span: 29..30, reason: Unexpected, ")
    assert dump.endswith("found: Some(Colon), label: None }]")


def test_the_dump_of_a_lexical_error_quotes_its_text() -> None:
    assert failure("type T = 5 ;").dump("a.ulx") == (
        'a.ulx failed to parse: [Simple { span: 11..12, reason: Custom("unrecognized character"), '
        "expected: {}, found: None, label: None }]"
    )


def test_spans_count_bytes() -> None:
    assert failure('import "é" as x ;').span == (17, 18)


@pytest.mark.parametrize(
    ("token", "shown"),
    [("2.0", "2"), ("0.5", "0.5"), ('"a\\nb\\"c"', '"a\\nb\\"c"'), ("@p/q.txt", "@p/q.txt")],
)
def test_found_tokens_are_written_shortly(token: str, shown: str) -> None:
    assert failure(f"type T = text {token}").report_message().startswith(f"found {shown} but")
