"""The canonical form of programs (language specification 6)."""

from __future__ import annotations

import pytest

from evaltui.ulx.formatter import format_source
from evaltui.ulx.grammar import parse
from evaltui.ulx.same_tree import same_tree


def conversation(body: str) -> str:
    return f"conversation A() {{\n{body}\n}}\n"


@pytest.mark.parametrize(
    ("source", "formatted"),
    [
        ("", ""),
        (
            'conversation A(){}import "x" as y conversation B(a:text,){}',
            'import "x" as y⏎⏎conversation A() {}⏎⏎conversation B(a: text) {}⏎',
        ),
        ("judge J(s:text)->Verdict{}", "judge J(s: text) -> Verdict {}⏎"),
        (
            'dataset D:[{a:text}]{[{a:"x"},{a:1,b:{c:2}},]}',
            'dataset D: [{a: text}] {⏎  [⏎    {a: "x"},⏎    {a: 1, b: {c: 2}}⏎  ]⏎}⏎',
        ),
        ("dataset D: text {[]}", "dataset D: text {⏎  [⏎  ]⏎}⏎"),
        ('dataset D:text{from "p"}', 'dataset D: text {⏎  from "p"⏎}⏎'),
        (
            "benchmark B{run:f(a:$.a)->r expect r satisfies judge J(r) with threshold(1)}",
            "benchmark B {⏎  run: f(a: $.a) -> r⏎"
            "  expect r satisfies judge J(r) with threshold(1.0)⏎}⏎",
        ),
        (
            "conversation A(){match a{P=>{x=1}Q=>{} R()=>{a:1}}}",
            "conversation A() {⏎  match a {⏎    P => {⏎      x = 1⏎    }⏎    Q => {}⏎"
            "    R => {a: 1}⏎  }⏎}⏎",
        ),
        (
            "conversation A(){retry(1){assistant->q:list<text>}else escalate(h,r:1)}",
            "conversation A() {⏎  retry(1) {⏎    assistant -> q: list<text>⏎"
            "  } else escalate(h, r: 1)⏎}⏎",
        ),
        (
            'conversation A(){x=((a-(b-c))*-(d)) y=f(ask chat(){user:"""q"""})}',
            "conversation A() {⏎  x = (a - (b - c)) * -d⏎  y = f(ask chat() {⏎"
            '    user: """q"""⏎  })⏎}⏎',
        ),
        ("conversation A(){match a{}}", "conversation A() {⏎  match a {⏎  }⏎}⏎"),
        ("conversation A(){with{}}", "conversation A() {⏎  with {}⏎}⏎"),
        (
            'provider P from "x"{chat:"m" vision:{model:"v",t:2.50}}',
            'provider P from "x" {⏎  chat: "m"⏎  vision: {model: "v", t: 2.5}⏎}⏎',
        ),
    ],
)
def test_layout(source: str, formatted: str) -> None:
    assert format_source(source) == formatted.replace("⏎", "\n")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = (a or b) and not (c == d)", "x = (a or b) and not (c == d)"),
        ("x = a - (b - c) - d", "x = a - (b - c) - d"),
        ("x = (a and b).c(d)[e]", "x = (a and b).c(d)[e]"),
        ("x = ((a))", "x = a"),
        ('x = "tab\there\n\\q"', 'x = "tab\\there\\nq"'),
        ("x = 007", "x = 7"),
        ("/// note\nx = 1 // why", "x = 1"),
        ('x = """a\\tb\\q"""', 'x = """a\tbq"""'),
        ('x = """{ f( "a" ) } b"""', 'x = """{f("a")} b"""'),
    ],
)
def test_expressions(source: str, line: str) -> None:
    assert format_source(conversation(source)) == conversation(f"  {line}")


@pytest.mark.parametrize(
    "line",
    [
        '"""C:\\\\dir"""',
        '"""say \\"\\"\\" x"""',
        '"""{f("a\\\\nb")}"""',
        '(retry(1) {} else "b") + "c"',
        '(retry(1) {} else "b").x',
        '-(retry(1) {} else "b") + "c"',
        'a * (retry(1) {} else "b") + c',
        "(a < b) > (c and d)",
        "(a < {k: b}) > (c and d).x",
        "(judge)",
        "f((file)(a), (escalate)(b))",
        "@p.txt .length",
    ],
)
def test_what_matters_is_kept(line: str) -> None:
    source = conversation(f"  x = {line}")
    assert same_tree(parse(format_source(source)), parse(source))
    assert format_source(format_source(source)) == format_source(source)


def test_an_empty_record_stays_a_record_in_an_arm() -> None:
    source = conversation("  match a {\n    P => ({})\n  }")
    assert format_source(source) == source


def test_an_overflowing_float_keeps_its_value() -> None:
    source = conversation(f"  x = {'9' * 400}.0")
    assert same_tree(parse(format_source(source)), parse(source))


def test_names_that_look_like_keywords_do_not_change_the_program() -> None:
    source = 'conversation A(){ user: """x""" (for) x in y {} }'
    assert same_tree(parse(format_source(source)), parse(source))
