"""Benchmarks: checks, their ids and messages, and how a row can end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evaltui.engine.benchmark import Execution
from evaltui.engine.compiler import CompiledProgram
from evaltui.engine.effects import Dialect
from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.pure_effects import PureEffects
from evaltui.engine.values import ESCALATE, PASS, TIMEOUT, Value, display, fail, score
from evaltui.models import CheckKind

Execute = Callable[..., Execution]
Compile = Callable[..., CompiledProgram]

JUDGES = """
judge J(s: text) -> Verdict { rubric: \"\"\"fine {s}?\"\"\" }
validator V(s: text) -> Verdict { regex: "^a" }
conversation Slow() -> text { user: \"\"\"MOCK_TIMEOUT\"\"\" assistant -> a a }
"""


class Verdicts(PureEffects):
    """Judge calls are answered in order; escalations by ``decision``."""

    def __init__(self, *verdicts: Value, decision: Value = PASS) -> None:
        self.verdicts = list(verdicts)
        self.attempts: list[int] = []
        self.asked: list[tuple[str, Value, str]] = []
        self.decision = decision

    def call(self, request: object) -> Value:
        """The next verdict."""
        self.attempts.append(request.attempt)  # type: ignore[attr-defined]
        return self.verdicts.pop(0)

    def escalate(self, target: str, arguments: object, reason: str) -> Value:
        """The decision."""
        self.asked.append((target, dict(arguments), reason))  # type: ignore[call-overload]
        return self.decision


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("$.n < 200", "$.n < 200 does not hold: $.n is 412"),
        ('$.s   ==\n  "b"', '$.s == "b" does not hold: $.s is "a"'),
        ("$.n > $.n + 1", "$.n > $.n + 1 does not hold: $.n is 412, $.n + 1 is 413"),
        ("$.n > 1 and $.s.length > 3", "$.s.length is 1"),
        ("$.n < 1 or $.s.length > 3", "$.n is 412, $.s.length is 1"),
        ("$.empty", '$.empty does not hold: it is ""'),
        ("not $.n", "not $.n does not hold: it is false"),
    ],
)
def test_a_failed_assert_shows_its_text_and_its_sides(
    execute: Execute, expression: str, said: str
) -> None:
    done = execute(f"assert {expression}\n", row={"n": 412, "s": "a", "empty": ""})
    assert done.checks[0].message.endswith(said)


def test_sides_of_an_assert_are_evaluated_once(execute: Execute) -> None:
    effects = Verdicts(fail("no"))
    done = execute('assert judge J("x") == "Pass"\n', effects=effects, declarations=JUDGES)
    assert effects.attempts == [0]
    assert "is Fail" in done.checks[0].message


def test_checks_are_numbered_by_kind_and_know_their_lines(execute: Execute) -> None:
    done = execute(
        'assert 1\nexpect "a" satisfies validator V("a")\nassert 0\nsnapshot 7 as "k"\n'
        'expect "a" satisfies validator V("b")',
        declarations=JUDGES,
    )
    assert [check.id for check in done.checks] == [
        *["assert#1", "expect#1", "assert#2", "snapshot:k", "expect#2"]
    ]
    lines = [check.line or 0 for check in done.checks]
    assert [line - lines[0] for line in lines] == [0, 1, 2, 3, 4]
    assert [check.passed for check in done.checks] == [True, True, False, True, False]
    assert done.checks[2].message == "0 does not hold: it is 0"
    assert done.checks[3].value == 7
    assert done.checks[3].kind is CheckKind.SNAPSHOT
    assert done.checks[4].message == "`b` does not match /^a/ (after 3 resample attempts)"
    assert not done.passed


def test_an_expectation_is_asked_until_it_passes(execute: Execute) -> None:
    effects = Verdicts(fail("no"), score(0.4), score(0.8))
    done = execute(
        'expect "x" satisfies judge J("x") with threshold(0.8)',
        declarations=JUDGES,
        effects=effects,
    )
    check = done.checks[0]
    assert effects.attempts == [0, 1, 2]
    assert [(one.number, display(one.verdict), one.passed) for one in check.attempts] == [
        (0, 'Fail("no")', False),
        (1, "Score(0.4)", False),
        (2, "Score(0.8)", True),
    ]
    assert check.passed
    assert (check.value, check.verdict) == (score(0.8), score(0.8))
    assert (check.judge, check.rubric, check.threshold) == ("J", "fine x?", 0.8)


@pytest.mark.parametrize(
    ("verdict", "threshold", "message"),
    [
        (fail("why"), "", "why"),
        (fail(""), "", ""),
        (score(0.0), "", "score 0 did not meet threshold (none)"),
        (score(0.5), " with threshold(1)", "score 0.5 did not meet threshold 1"),
        ("text", "", "`satisfies` expects a Verdict, got text"),
    ],
)
def test_messages_of_failed_expectations(
    execute: Execute, verdict: Value, threshold: str, message: str
) -> None:
    done = execute(
        f'expect "x" satisfies judge J("x"){threshold}',
        declarations=JUDGES,
        effects=Verdicts(verdict, verdict, verdict),
    )
    assert done.checks[0].message == f"{message} (after 3 resample attempts)"


def test_an_undecided_judge_asks_a_person_under_run_only(execute: Execute) -> None:
    statement = 'expect "x" satisfies judge J("x")'
    for decision, passed in ((PASS, True), (fail("wrong"), False)):
        effects = Verdicts(*[ESCALATE] * 3, decision=decision)
        done = execute(statement, declarations=JUDGES, effects=effects)
        assert effects.asked == [("judge:J", {"subject": "x"}, "judge could not decide")]
        assert done.checks[0].passed is passed
        assert done.checks[0].verdict == ESCALATE
    effects = Verdicts(*[ESCALATE] * 3)
    done = execute(statement, declarations=JUDGES, effects=effects, dialect=Dialect.ULX)
    assert effects.asked == []
    assert done.checks[0].message.startswith("judge could not decide (Escalate)")


def test_drafts_are_told_apart_from_answers(execute: Execute) -> None:
    done = execute(
        'run: Slow() -> a\nassert a\nsnapshot a as "k"\nexpect a satisfies a', declarations=JUDGES
    )
    assert [check.draft for check in done.checks] == [TIMEOUT] * 3


def test_a_failure_ends_the_row_and_keeps_what_came_before(execute: Execute) -> None:
    done = execute('assert 0\nrun: 1 -> a\nrun: a + "x" -> b\nassert 1')
    assert done.error is not None
    assert done.error.text == "type error: cannot add 1 and x"
    assert done.error.kind == "type_error"
    assert [check.id for check in done.checks] == ["assert#1"]
    assert done.bound == {"a": 1}


def test_a_suspension_ends_the_row(execute: Execute) -> None:
    done = execute('run: escalate(boss, why: 1, reason: "look") -> a\nassert 1')
    assert done.suspension is not None
    assert (done.suspension.target, done.suspension.reason) == ("boss", "look")
    assert done.suspension.arguments == {"reason": "look", "why": 1}
    assert not done.passed


def test_snapshots_are_handed_to_the_comparer(compiled: Compile) -> None:
    benchmark = compiled('benchmark B { snapshot $.n as """k{$.n}""" }').benchmark("B")
    assert benchmark.has_snapshot
    done = benchmark.execute({"n": 3}, PureEffects(), lambda key, value: (False, f"{key}={value}"))
    assert [(check.passed, check.message) for check in done.checks] == [(False, "k3=3")]


@pytest.mark.parametrize(
    ("runs", "columns"),
    [
        ("run: C($.a) -> x run: if $.b { $.c } else { 1 } -> y assert $.d", {"a", "b", "c"}),
        ("run: C($) -> x", None),
        ('run: """{$.a.b}{$[0]}""" -> x', None),
        ("assert $.d", set()),
    ],
)
def test_columns_that_run_statements_read(
    compiled: Compile, runs: str, columns: set[str] | None
) -> None:
    benchmark = compiled(f"conversation C(x: any) {{ x }} benchmark B {{ {runs} }}").benchmark("B")
    assert benchmark.run_columns == columns


def test_rows_come_from_the_first_dataset_named(compiled: Compile, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes('\r\n {"n": 1}\r\n\u00a0[null]\u2003\n"x"'.encode())
    program = compiled(
        'dataset D: [any] { from "d.jsonl" } dataset E: [any] { [ {n: 1 + 1} ] }\n'
        "benchmark B { assert 1 dataset: D dataset: E } benchmark C { dataset: E }"
    )
    assert display(program.benchmark("B").load_rows()) == "[{n: 1}, [()], x]"
    assert program.benchmark("C").load_rows() == [{"n": 2}]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("benchmark B { }", "type error: benchmark `B` has no `dataset:` statement"),
        ("benchmark B { dataset: D }", "no `dataset` named `D`"),
        (
            "dataset D: [any] { [ {a: ask chat() {}} ] } benchmark B { dataset: D }",
            "not implemented: `chat` calls in a dataset",
        ),
    ],
)
def test_rows_that_cannot_be_loaded(compiled: Compile, source: str, text: str) -> None:
    with pytest.raises(RuntimeFailure) as caught:
        compiled(source).benchmark("B").load_rows()
    assert caught.value.text == text


def test_unreadable_dataset_files_are_named(compiled: Compile, tmp_path: Path) -> None:
    source = 'dataset D: [any] { from "d.jsonl" } benchmark B { dataset: D }'
    benchmark = compiled(source).benchmark("B")
    path = tmp_path / "d.jsonl"
    for content, text in (
        (None, f"reading dataset `D` at {path}: No such file or directory (os error 2)"),
        (b"\xff", f"reading dataset `D` at {path}: stream did not contain valid UTF-8"),
        (b"{}\n{", "parsing dataset `D` row: EOF while parsing an object at line 1 column 1"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(RuntimeFailure) as caught:
            benchmark.load_rows()
        assert caught.value.text == f"I/O error: {text}"


def test_unknown_benchmark(compiled: Compile) -> None:
    with pytest.raises(RuntimeFailure, match="no `benchmark` named `X`"):
        compiled("benchmark B { }").benchmark("X")
