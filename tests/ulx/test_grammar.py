"""Trees of sources (language specification 2)."""

from __future__ import annotations

import time

import pytest

from evaltui.ulx import tree
from evaltui.ulx.grammar import parse, parse_interpolated
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Block, Expr, Span


def body(text: str) -> Block:
    declaration = parse(f"conversation A() {{ {text} }}").declarations[0]
    assert isinstance(declaration, tree.Conversation)
    return declaration.body


def expression(text: str) -> Expr:
    statement = body(f"x = {text}").statements[0]
    assert isinstance(statement, tree.Binding)
    return statement.value


def shape(node: Expr) -> str:
    """``node`` with a parenthesis around every operation."""
    match node:
        case tree.Binary(operator=operator, left=left, right=right):
            return f"({shape(left)} {operator} {shape(right)})"
        case tree.Unary(operator=operator, operand=operand):
            return f"({operator} {shape(operand)})"
        case tree.Field(base=base, name=name):
            return f"{shape(base)}.{name.text}"
        case tree.Call(callee=callee, arguments=arguments):
            return f"{shape(callee)}({', '.join(shape(item.value) for item in arguments)})"
        case tree.Variable(name=name):
            return name
        case tree.GenericCall(name=name):
            return f"generic {name.text}"
        case _:
            return type(node).__name__


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a or b and c == d + e * f", "(a or (b and (c == (d + (e * f)))))"),
        ("a - b - c", "((a - b) - c)"),
        ("a < b < c", "((a < b) < c)"),
        ("not a == b", "((not a) == b)"),
        ("- not -a.b", "(- (not (- a.b)))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a < b > (c)", "generic a"),
        ("a < b > c", "((a < b) > c)"),
        ("a.b < c > (d)", "((a.b < c) > d)"),
        ("f(a < b, c > (d))", "f((a < b), (c > d))"),
        ("retry(1) {a} else b + c", "Retry"),
        ("escalate(x, y)", "escalate(x, y)"),
        ("escalate(x, k: y)", "Escalate"),
        ("file(x)", "file(x)"),
        ('file("x")', "FileText"),
        ("@x", "FileText"),
        ("judge F(a)", "RubricCall"),
        ("if {a: 1} {b} else {c}", "If"),
        ("a\n(b)\n.c", "a(b).c"),
    ],
)
def test_expressions_bind_as_specified(text: str, expected: str) -> None:
    assert shape(expression(text)) == expected


def test_words_are_reserved_nowhere() -> None:
    words = "import conversation judge match for in while if else file with ask or and true"
    for word in words.split():
        parse(f"conversation {word}({word}: {word}) {{ {word} = 1 }}")


@pytest.mark.parametrize(
    ("text", "statements", "has_tail"),
    [
        ("x=a y=x y", 2, True),
        ("judge F", 1, True),
        ("let x = 1", 2, False),
        ("if a {b: 1} else {c: 2}", 4, True),
        ("match a { P => b }", 1, False),
        ("break not = 3", 2, False),
        ('user: """x"""', 1, False),
    ],
)
def test_statements_follow_each_other_without_separators(
    text: str, statements: int, has_tail: bool
) -> None:
    block = body(text)
    assert (len(block.statements), block.tail is not None) == (statements, has_tail)


def test_an_arm_is_tried_as_a_block_before_a_record() -> None:
    match = body("match a { P => {} Q => {a} R => {a: 1} _ => x }").statements[0]
    assert isinstance(match, tree.Match)
    kinds = [type(arm.body).__name__ for arm in match.arms]
    assert kinds == ["Block", "Block", "RecordLiteral", "Variable"]


def test_types_are_read_in_order() -> None:
    source = "type T = {a: text, b: [x], c: list<3>, d: A | B(json)}"
    declaration = parse(source).declarations[0]
    assert isinstance(declaration, tree.TypeDeclaration)
    assert declaration.type == tree.RecordType(
        (
            ("a", tree.ArtifactType("text")),
            ("b", tree.ArrayType(tree.NamedType("x"))),
            ("c", tree.GenericType("list", 3)),
            ("d", tree.UnionType((("A", None), ("B", tree.ArtifactType("json"))))),
        )
    )


def spanned(text: str) -> str:
    source = f"conversation A() {{ x = {text} }}"
    declaration = parse(source).declarations[0]
    assert isinstance(declaration, tree.Conversation)
    statement = declaration.body.statements[0]
    assert isinstance(statement, tree.Binding)
    start, end = statement.value.span
    return source[start:end]


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("a.b(c)", "a"),
        ("-a", "a"),
        ("(a + b)", "a + b"),
        ("judge F(a)", "judge F(a)"),
        ("{k: 1}", "{k: 1}"),
        ("ask chat() { }", "ask chat() { }"),
    ],
)
def test_expressions_cover_what_the_reference_says(text: str, covered: str) -> None:
    assert spanned(text) == covered


def test_interpolations_are_three_bytes_too_far_left() -> None:
    source = 'conversation A() { user: """é {topik}""" }'
    declaration = parse(source).declarations[0]
    assert isinstance(declaration, tree.Conversation)
    message = declaration.body.statements[0]
    assert isinstance(message, tree.Message) and isinstance(message.text, tree.TextBlock)
    literal, variable = message.text.parts
    assert literal == "é " and isinstance(variable, tree.Variable)
    assert variable.span.start == source.encode().index(b"topik") - 3


def test_a_prompt_file_is_split_without_decoding_escapes() -> None:
    block = parse_interpolated("a\\n {b.c}\n", 0)
    assert block.parts[0] == "a\\n " and block.parts[2] == "\n"
    assert isinstance(block.parts[1], tree.Field) and block.parts[1].span == Span(5, 6)


def test_a_prompt_file_names_what_is_wrong() -> None:
    with pytest.raises(UlxSyntaxError) as caught:
        parse_interpolated('{"a": 1}')
    assert caught.value.custom is not None and caught.value.custom.startswith("[Simple {")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 999 + "1" + ")" * 999,
        "ask chat() {" * 900 + "}" * 900,
        "if a {" * 900 + "} else {}" * 900,
        "escalate(a, k: " * 990 + "1" + ", 2)" * 990,
        "x = " + "-" * 20_000 + "1",
        "x = " + "1 + " * 20_000 + "1",
        "x = " + "a < " * 5_000 + "1",
        "x = a" + ".b" * 20_000,
        "retry(1) {} else " * 3_000 + "1",
    ],
    ids=lambda text: str(text)[:12],
)
def test_deep_and_long_sources_parse_quickly(text: str) -> None:
    started = time.perf_counter()
    body(text)
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize(
    "text", ["if a {" * 900 + "}" * 900, "f(" * 990, "type T = " + "a<" * 9000]
)
def test_deep_broken_sources_fail_quickly(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises(UlxSyntaxError):
        parse(f"conversation A() {{ {text} }}")
    assert time.perf_counter() - started < 3
