"""What expressions and statements come to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaltui.engine.benchmark import Execution
from evaltui.engine.effects import Dialect
from evaltui.engine.values import Value, display, equal

Execute = Callable[..., Execution]

HELPERS = """
conversation Id(x: text) -> any { x }
conversation Bad() -> any { missing }
conversation Two(a: text, b: text) -> any { list<any>(a, b) }
conversation Nothing() -> any { }
conversation Deep(n: number) -> any { Deep(n) }
judge J(s: text) -> Verdict { rubric: "ok?" }
dataset Rows: [any] { [ {n: 1}, {n: 2} ] }
"""


def value_of(execute: Execute, expression: str, row: Value = "row") -> Value:
    done = execute(f"run: {expression} -> v", row, declarations=HELPERS)
    assert done.error is None, done.error
    return done.bound["v"]


def failure_of(execute: Execute, expression: str) -> str:
    done = execute(f"run: {expression} -> v", "row", declarations=HELPERS)
    assert done.error is not None
    return done.error.text


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2", 3),
        ("1.5 + 2.0", 3.5),
        ('"a" + "b"', "ab"),
        ("9223372036854775807 + 1", -(2**63)),
        ("3 - 1", 2.0),
        ("2 * 3", 6.0),
        ("7 / 2", 3.5),
        ("1 / 0", float("inf")),
        ("-1 / 0", float("-inf")),
        ("-(1 + 1)", -2),
        ("not 0", True),
        ('not "x" == 0', False),
        ('0 or "" or "b" or missing', "b"),
        ('"a" and 0 and missing', 0),
        ("1 == 1.0", False),
        ("1 < 1.5", True),
        ("9007199254740993 > 9007199254740992.0", False),
        ("9007199254740993 > 9007199254740992", True),
        ("{a: 1, a: 2}.a", 2),
        ('"aé漢".length', 3),
        ("list<any>(1, 2).length", 2),
        ("list<any>(4, 5)[1]", 5),
        ('if 1 { "yes" } else { "no" }', "yes"),
        ("Nothing()", ()),
        ("Two(1, a: 2)", [2, 1]),
        ("Two(1, 2, 3, c: 4)", [1, 2]),
        ("Id(x: $)", "row"),
        ("Rows", [{"n": 1}, {"n": 2}]),
        ("capability(chat)", "capability(chat)"),
        ("capability(1 + 1)", "capability(2)"),
        ("capability()", "capability()"),
        ('retry(2) { Bad() } else "plan b"', "plan b"),
        ('retry(0) { "first" }', "first"),
        ('"""<{$}|{1 - 1}|{list<any>("a", 1)}>"""', "<row|0|[a, 1]>"),
        ("vector.cosine_similarity(list<any>(1, 0), list<any>(1, 0))", 1.0),
        ("vector.cosine_similarity(list<any>(1), list<any>(1, 2))", 0.0),
        ("vector.cosine_similarity(list<any>(0), list<any>(0))", 0.0),
    ],
)
def test_values(execute: Execute, expression: str, value: Value | tuple[()]) -> None:
    found = value_of(execute, expression)
    if value == ():
        assert display(found) == "()"
    else:
        assert equal(found, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("missing", "undefined name `missing`"),
        ("1 + 1.0", "type error: cannot add 1 and 1"),
        ('"a" - 1', "type error: cannot subtract 1 from a"),
        ('1 * "a"', "type error: cannot multiply 1 and a"),
        ('1 / "a"', "type error: cannot divide 1 by a"),
        ('-"a"', "type error: cannot negate a"),
        ('1 < "a"', "type error: cannot compare 1 and a"),
        ("{a: 1}.b", "type error: no field `b`"),
        ("1.b", "type error: cannot access field `b` on 1"),
        ("list<any>(1)[1]", "type error: index out of range"),
        ("list<any>(1)[-1]", "type error: index out of range"),
        ('"ab"[0]', "type error: indexing requires a list and an int"),
        ("set<any>(1)", "not implemented: generic constructor `set<...>`"),
        ("Two(1)", "type error: missing argument `b` calling `Two`"),
        ("nobody(1)", "not implemented: calls to a computed/unknown callee"),
        ("json.parse(1)", "not implemented: json.parse(...)"),
        ("judge Nope(1)", "no `judge`/`validator` named `Nope`"),
        ("validator J(1)", "no `judge`/`validator` named `J`"),
        ("retry(2) { Bad() }", "undefined name `missing`"),
        ("vector.nearest(index: 1, k: 1)", "type error: query must be an embedding"),
        ("vector.nearest()", "type error: vector.nearest requires a `query` embedding"),
        (
            "vector.cosine_similarity(1, 2)",
            "type error: vector.cosine_similarity expects two embedding lists",
        ),
        ("pdf.extract_text()", "type error: pdf.extract_text requires a `doc` argument"),
        (
            'pdf.extract_text("none.pdf")',
            "I/O error: could not read PDF file `none.pdf`: No such file or directory (os error 2)",
        ),
        (
            'pdf.extract_text("data:x")',
            "type error: pdf.extract_text: `data:x` isn't a `;base64,`-encoded data: URI",
        ),
        (
            'ask chat() { user: """{Id(1)}""" }',
            "not implemented: calls to a computed/unknown callee",
        ),
    ],
)
def test_failures(execute: Execute, expression: str, text: str) -> None:
    assert failure_of(execute, expression) == text


def test_the_row_is_unknown_inside_conversations(execute: Execute) -> None:
    done = execute("run: C() -> v", "row", declarations="conversation C() { $ }")
    assert done.error is not None
    assert done.error.text == "undefined name `$ (current dataset row)`"


def test_endless_recursion_is_a_failure(execute: Execute) -> None:
    assert "too deeply" in failure_of(execute, "Deep(1)")


def test_deeply_nested_expressions_run(execute: Execute) -> None:
    deep = "list<any>(" * 300 + "1" + ")" * 300
    assert display(value_of(execute, deep)) == "[" * 300 + "1" + "]" * 300


BODIES = """
conversation Grow() -> any {
  xs = list<any>()
  ys = xs
  for x in list<any>(1, 2, 3) { if x > 1 { xs.append(x) } else { } }
  {xs: xs, ys: ys}
}
conversation Last() -> any { for x in list<any>(1, 2) { y = x } }
conversation Shadow() -> any { x = 1 if 1 { x = 2 } else { } x }
conversation Leak() -> any { x = 1 y = retry(1) { x = 2 missing } else x list<any>(x, y) }
conversation Leave() -> any {
  xs = list<any>()
  for x in list<any>(1, 2, 3) {
    if x > 1 { break x } else { }
    xs.append(x)
  }
  xs
}
conversation Found() -> any { for x in list<any>(1, 2, 3) { if x > 1 { break x } else { } } }
conversation Spin() -> any { while 1 { with { a = if 1 { break "out" } else { 0 } } } }
conversation Apart() -> any {
  xs = list<any>()
  with { a = xs.append(1) b = xs.length }
  list<any>(xs, b)
}
conversation Arms(v: any) -> any { match v { _ => "other" Fail(why) => why Score(s) => s } }
"""


@pytest.mark.parametrize(
    ("call", "run", "ulx"),
    [
        ("Grow()", "{xs: [2, 3], ys: []}", None),
        ("Last()", "2", None),
        ("Shadow()", "1", None),
        ("Leak()", "[1, 1]", "[2, 2]"),
        ("Leave()", "[1]", "[1, 2, 3]"),
        ("Found()", "2", "3"),
        ("Apart()", "[[], 0]", None),
        ('Arms(judge J(""))', "subject is empty", None),
        ('Arms(judge J("x"))', "other", None),
        ("Arms(1)", "other", None),
    ],
)
def test_statements(execute: Execute, call: str, run: str, ulx: str | None) -> None:
    for dialect, expected in ((Dialect.RUN, run), (Dialect.ULX, ulx or run)):
        done = execute(f"run: {call} -> v", declarations=HELPERS + BODIES, dialect=dialect)
        assert done.error is None
        assert display(done.bound["v"]) == expected


def test_break_leaves_an_endless_loop(execute: Execute) -> None:
    done = execute("run: Spin() -> v", declarations=BODIES)
    assert done.bound["v"] == "out"
