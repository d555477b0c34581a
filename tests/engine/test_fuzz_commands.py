"""Programs made at random, whole and damaged, get an answer from every command that runs them."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.cli import run
from evaltui.ulx.cli import main

NAMES = ("a", "b", "row", "x", "items")
words = st.sampled_from(NAMES)
texts = st.sampled_from(
    ["", "hi", "MOCK_TIMEOUT", "MOCK_JUDGE_FAIL", "MOCK_JUDGE_ESCALATE", "é" * 120, "a\\nb", "[1]"]
)
literals = st.one_of(
    st.sampled_from(["0", "1", "7", "9223372036854775807", "0.0", "1.5", "$", "$.id", "$.n"]),
    st.sampled_from(["@p.txt", 'file("p.txt")', 'file("../no.txt")', "list<text>()"]),
    texts.map(lambda text: f'"{text}"'),
    texts.map(lambda text: f'"""{text}"""'),
    words,
)
operators = st.sampled_from(["or", "and", "==", "!=", "<=", ">", "+", "-", "*", "/"])
library = st.sampled_from(
    ["vector.nearest", "vector.cosine_similarity", "embedding.of", "pdf.extract_text", "no.such"]
)
capabilities = st.sampled_from(["chat", "vision", "embed", "transcribe", "speak", "nothing"])


def bigger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    lists = st.lists(inner, max_size=2).map(", ".join)
    return st.one_of(
        st.tuples(inner, operators, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["-", "not "]), inner).map("".join),
        inner.map(lambda value: f'"""<{{{value}}}>"""' if "}" not in value else value),
        st.tuples(inner, words).map(lambda t: f"({t[0]}).{t[1]}"),
        inner.map(lambda value: f"({value}).length"),
        pairs.map(lambda t: f"({t[0]})[{t[1]}]"),
        lists.map(lambda values: f"list<text>({values})"),
        pairs.map(lambda t: f"{{id: {t[0]}, n: {t[1]}}}"),
        lists.map(lambda values: f"Other({values})"),
        lists.map(lambda values: f"judge Fine({values})"),
        st.tuples(st.sampled_from(["Word", "Json", "Odd"]), lists).map(
            lambda t: f"validator {t[0]}({t[1]})"
        ),
        st.tuples(library, lists).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(capabilities, lists, inner).map(
            lambda t: f'ask {t[0]}({t[1]}) {{ user: """{{a}}{t[2][:0]}""" }}'
        ),
        st.tuples(words, inner).map(lambda t: f"escalate({t[0]}, reason: {t[1]})"),
        pairs.map(lambda t: f"retry(2) {{ {t[0]} }} else ({t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"if {t[0]} {{ {t[1]} }} else {{ {t[2]} }}"),
    )


expressions = st.recursive(literals, bigger, max_leaves=6)


def longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    blocks = st.lists(inner, max_size=3).map(" ".join)
    return st.one_of(
        st.tuples(words, expressions, blocks).map(lambda t: f"for {t[0]} in {t[1]} {{ {t[2]} }}"),
        blocks.map(lambda block: f"while 0 {{ {block} }}"),
        st.tuples(expressions, blocks, blocks).map(
            lambda t: f"match {t[0]} {{ Pass => {{ {t[1]} }} Fail(r) => r _ => {{ {t[2]} }} }}"
        ),
        st.tuples(words, expressions).map(lambda t: f"with {{ {t[0]} = {t[1]} other = {t[1]} }}"),
    )


statements = st.recursive(
    st.one_of(
        st.tuples(words, expressions).map(lambda t: f"{t[0]} = ({t[1]})"),
        expressions.map(lambda value: f"({value})"),
        words.map(lambda name: f"{name}.append(1)"),
        words.map(lambda name: f'user: """{{{name}}}""" assistant -> reply'),
        st.just("break"),
    ),
    longer,
    max_leaves=4,
)
checks = st.one_of(
    expressions.map(lambda value: f"assert ({value})"),
    st.tuples(words, expressions).map(lambda t: f"run: ({t[1]}) -> {t[0]}"),
    st.tuples(expressions, expressions).map(lambda t: f"expect ({t[0]}) satisfies ({t[1]})"),
    st.tuples(expressions, expressions).map(lambda t: f"snapshot ({t[0]}) as ({t[1]})"),
)
programs = st.tuples(
    st.lists(statements, max_size=5).map(" ".join), st.lists(checks, max_size=4).map(" ".join)
).map(
    lambda parts: (
        f"""
dataset Rows: [{{id: text}}] {{ from "rows.jsonl" }}
dataset items: [{{id: text}}] {{ [{{id: "a", embedding: list<number>(1, 2.5)}}] }}
judge Fine(subject: text, more: text) -> Verdict {{ rubric: \"\"\"{{subject}}\"\"\" }}
validator Word(subject: text) -> Verdict {{ regex: "[a" }}
validator Json(subject: text) -> Verdict {{ json_schema: 1 }}
validator Odd(subject: text) -> Verdict {{ python: 1 }}
conversation Other(a: text, b: text) -> text {{ user: \"\"\"{{a}}\"\"\" assistant -> r r }}
conversation Main(a: text, b: text) -> text {{ {parts[0]} }}
benchmark B {{ dataset: Rows run: Main($.id, $.n) -> x {parts[1]} }}
"""
    )
)
ROWS = '{"id": "a", "n": 1}\n\n{"id": "b", "n": null, "subject": "s", "human_pass": true}\n'
PIECES = (b"", b"{", b"}", b'"', b"\\", b"\xff", b"/*", b"9" * 20, b"\0", b'"""', b"@p.txt")
quick = settings(
    max_examples=int(os.environ.get("EVALTUI_FUZZ", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def damaged(draw: st.DrawFn, whole: st.SearchStrategy[str] = programs) -> bytes:
    """A program, or one in which some bytes were replaced, removed or repeated."""
    content = bytearray(draw(whole).encode())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        piece = draw(st.sampled_from([*PIECES, bytes(content[at : at + 40])]))
        content[at : at + draw(st.integers(0, 8))] = piece
    return bytes(content)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n\nd\n\nq\n"))
    Path("evaltui.toml").write_text("")
    Path("p.txt").write_text("prompt {a}")
    Path("rows.jsonl").write_text(ROWS)
    return tmp_path


ULX = (
    "parse a.ulx",
    "check a.ulx",
    "bench a.ulx B --mock --run-id one",
    "bench a.ulx B --mock --run-id one",
    "trace one",
    "trace one --output html",
    "run a.ulx Main --arg a=1 --arg b=2 --mock --run-id two",
    "run a.ulx Main --arg a=1 --mock --output json --no-cache",
    "approve two --mock",
    "approve one --mock",
    "run a.ulx Main --arg a=1 --arg b=2 --mock --interactive",
    "deny two --mock",
    "replay two",
    "trace two --output mermaid",
    "plan a.ulx Main",
    "eval calibrate a.ulx Rows Fine --mock",
    "fmt a.ulx --check",
    "fmt a.ulx",
    "bench a.ulx B --mock --update-snapshots",
)


@quick
@given(content=damaged())
def test_every_ulx_command_answers(content: bytes) -> None:
    Path("a.ulx").write_bytes(content)
    for command in ULX:
        out, err = io.StringIO(), io.StringIO()
        code = main(command.split(), out, err)
        said = out.getvalue() + err.getvalue()
        assert code in (0, 1), f"{command}: {said}"
        assert code == 0 or said, command
        assert "\x1b" not in err.getvalue()
    for left in (".ulexite", "snapshots"):
        shutil.rmtree(left, ignore_errors=True)


@quick
@given(content=damaged())
def test_check_fmt_and_run_answer(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.ulx").write_bytes(content)
    for words in (["check", "a.ulx"], ["run", "a.ulx", "--ci", "--mock"], ["fmt", "a.ulx"]):
        code = run(words)
        out, err = capsys.readouterr()
        assert code in (0, 1, 2, 3), f"{words}: {err}"
        assert "Traceback" not in err and "internal error" not in out + err
        assert code == 0 or out or err


@quick
@given(
    manifest=damaged(
        st.just(
            '[package]\nname = "n"\nversion = "0.1.0"\nulexite = "^0.1"\n[dependencies]\n'
            'd = { path = "../d" }\n[providers.P]\nvendor = "mock"\n'
            'chat = { model = "m", params = { t = 0.5 } }\n[runtime]\nconcurrency = 4\n'
        )
    ),
    rows=damaged(st.just(ROWS)),
    environment=damaged(st.just("A_KEY=1\nexport B='two'\n# note\nC=\"$A_KEY\\n\"\n")),
)
def test_damaged_surroundings_get_an_answer(
    manifest: bytes, rows: bytes, environment: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("ulexite.toml").write_bytes(manifest)
    Path("rows.jsonl").write_bytes(rows)
    Path(".env").write_bytes(environment)
    Path("a.ulx").write_text(
        'dataset Rows: [{id: text}] { from "rows.jsonl" }\n'
        'conversation C(a: text) { user: """{a}""" assistant -> r r }\n'
        "benchmark B { dataset: Rows run: C($) -> r snapshot r as r }\n"
    )
    for command in (
        "manifest",
        "check a.ulx",
        "plan a.ulx C",
        "bench a.ulx B",
        "bench a.ulx B --mock",
    ):
        out, err = io.StringIO(), io.StringIO()
        code = main(command.split(), out, err)
        assert code in (0, 1) and (code == 0 or out.getvalue() or err.getvalue()), err.getvalue()
    for words in (["check", "a.ulx"], ["run", "a.ulx", "--ci"], ["run", "a.ulx", "--ci", "--mock"]):
        code = run(words)
        out_text, err_text = capsys.readouterr()
        assert code in (0, 1, 2, 3), err_text
        assert code == 0 or out_text or err_text


@quick
@given(
    trace=damaged(
        st.just(
            '{"run_id":"r","seq":0,"kind":"effect","capability":"chat",'
            '"cache_key":null,"cache_hit":false,"input":[{"role":"user","text":"hi"}],"provider":"mock",'
            '"model":null,"output":{"kind":"Text","value":"x"},"error":null,"timestamp_ms":1,'
            '"parent_run_id":null}\n'
        )
    ),
    manifest=damaged(
        st.just(
            '{"file": "a.ulx", "conversation": "C", "benchmark": null, '
            '"args": {"a": "1"}, "selected_providers": [], "force_mock": true}'
        )
    ),
    answer=damaged(st.just('{"kind": "List", "value": [{"kind": "Int", "value": 3}]}')),
)
def test_damaged_leftovers_get_an_answer(
    trace: bytes, manifest: bytes, answer: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.ulx").write_text('conversation C(a: text) { user: """{a}""" assistant -> r r }')
    for name, content in (
        ("traces/r.jsonl", trace),
        ("runs/r.json", manifest),
        (f"cache/ab/{'0' * 62}", answer),
    ):
        path = Path(".ulexite", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for command in ("trace r", "trace r --output json", "replay r", "approve r", "deny r --mock"):
        out, err = io.StringIO(), io.StringIO()
        code = main(command.split(), out, err)
        assert code in (0, 1), f"{command}: {err.getvalue()}"
    assert run(["runs", "import", "."]) == 0
    assert run(["runs", "list"]) == 0
    assert "internal error" not in capsys.readouterr().err
