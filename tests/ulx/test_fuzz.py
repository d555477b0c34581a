"""Any input is answered, and every tree that can be written is written back the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.ulx import tree
from evaltui.ulx.cli import main
from evaltui.ulx.exact_grammar import ExactGrammar
from evaltui.ulx.formatter import FormatError, format_program, format_source
from evaltui.ulx.grammar import parse
from evaltui.ulx.lexer import to_bytes, tokenize
from evaltui.ulx.markdown import MarkdownError, compile_markdown
from evaltui.ulx.report import draw_syntax_error
from evaltui.ulx.same_tree import same_tree
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import Expr, Name, Span

NOWHERE = Span(0, 0)
WORDS = (
    "if else retry escalate judge validator ask file not and or with match for in while break "
    "system user assistant _ a b text 1 2.5 007 \"s\" '''t''' '''{a}''' '''{}''' @p.txt "
    "( ) { } [ ] , : -> => . | == = != <= >= < > + - * / $ ; ( ) { } { } = ="
).replace("'''", '"""')
ITEMS = (
    "import conversation judge validator dataset type benchmark provider from as run expect "
    "satisfies threshold assert snapshot"
)

words = st.sampled_from(WORDS.split(" "))
item_words = st.sampled_from((WORDS + " " + ITEMS).split(" "))
bodies = st.lists(words, max_size=25).map(lambda row: f"conversation A() {{ {' '.join(row)} }}")
soups = st.one_of(bodies, st.lists(item_words, max_size=25).map(" ".join))


@settings(max_examples=120, deadline=None)
@given(st.one_of(soups, st.text(max_size=60)))
def test_the_two_grammars_agree_on_what_is_a_program(source: str) -> None:
    try:
        tokens = tokenize(to_bytes(source))
    except UlxSyntaxError as error:
        assert draw_syntax_error(error, "a.ulx", source)
        return
    failure = ExactGrammar(tokens, lambda at: "{}" not in str(tokens.values[at]))
    try:
        parse(source)
    except UlxSyntaxError as error:
        assert error.span.end <= len(source.encode())
        assert error.dump("a") and draw_syntax_error(error, "a.ulx", source)
    else:
        assert failure.program_failure(0) is None


@settings(max_examples=120, deadline=None)
@given(soups)
def test_formatting_keeps_the_meaning_and_settles_at_once(source: str) -> None:
    try:
        program = parse(source)
    except UlxSyntaxError:
        return
    try:
        formatted = format_source(source)
    except FormatError as error:
        assert error.text
        return
    assert same_tree(parse(formatted), program)
    assert format_source(formatted) == formatted


@pytest.mark.parametrize("command", ["parse", "check", "fmt", "from-md", "manifest"])
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.one_of(st.binary(max_size=80), soups.map(str.encode)))
def test_any_file_gets_an_answer(
    command: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ulx").write_bytes(content)
    out, err = io.StringIO(), io.StringIO()
    code = main([command, "a.ulx"], out, err)
    assert code in (0, 1)
    assert code == 0 or out.getvalue() or err.getvalue()


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet='# `ulx-meta\nabé{}"\\=[]', max_size=80))
def test_any_markdown_is_compiled_or_refused(text: str) -> None:
    try:
        assert compile_markdown(text).endswith("}\n")
    except MarkdownError as error:
        assert error.message


names = st.sampled_from(["a", "b2", "_c", "Long_name"]).map(lambda text: Name(text, NOWHERE))
literals = st.one_of(
    st.integers(0, 2**63 - 1).map(lambda value: tree.IntLiteral(value, NOWHERE)),
    st.floats(0, allow_nan=False).map(lambda value: tree.FloatLiteral(abs(value), NOWHERE)),
    st.text(max_size=8).map(lambda value: tree.StringLiteral(value, NOWHERE)),
    names.map(lambda name: tree.Variable(name.text, NOWHERE)),
    st.just(tree.Row(NOWHERE)),
    st.sampled_from(["p.txt", "../x/y-1"]).map(lambda path: tree.FileText(path, True, NOWHERE)),
    st.text(max_size=5).map(lambda path: tree.FileText(path, False, NOWHERE)),
)
operators = st.sampled_from(["or", "and", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/"])


def texts(expressions: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    literal = st.text(min_size=1, max_size=6).filter(lambda text: "{" not in text)
    plain = literal.filter(lambda text: not text.endswith('"'))
    return plain.map(lambda text: tree.TextBlock((text,), NOWHERE))


def bigger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    arguments = st.lists(st.builds(tree.Argument, st.none() | names, inner), max_size=2).map(tuple)
    fields = st.lists(st.tuples(names, inner), max_size=2).map(tuple)
    blocks = inner.map(lambda value: tree.Block((), value, NOWHERE))
    nowhere = st.just(NOWHERE)
    return st.one_of(
        st.builds(tree.Binary, operators, inner, inner, nowhere),
        st.builds(tree.Unary, st.sampled_from(["-", "not"]), inner, nowhere),
        st.builds(tree.Field, inner, names, nowhere),
        st.builds(tree.Index, inner, inner, nowhere),
        st.builds(tree.Call, inner, arguments, nowhere),
        st.builds(tree.RecordLiteral, fields, nowhere),
        st.builds(tree.If, inner, blocks, blocks, nowhere),
        st.builds(tree.Retry, st.integers(0, 9), blocks, st.none() | inner, nowhere),
        st.builds(tree.Escalate, names, fields, nowhere),
        st.builds(
            tree.RubricCall, st.sampled_from(["judge", "validator"]), names, arguments, nowhere
        ),
        texts(inner),
    )


@settings(max_examples=120, deadline=None)
@given(st.recursive(literals, bigger, max_leaves=12))
def test_every_expression_is_written_so_that_it_reads_back(value: Expr) -> None:
    name = Name("x", NOWHERE)
    binding = tree.Binding(name, value, NOWHERE)
    body = tree.Block((binding,), None, NOWHERE)
    program = tree.Program((), (tree.Conversation(name, (), None, body, NOWHERE),))
    assert same_tree(parse(format_program(program, 1000)), program)
