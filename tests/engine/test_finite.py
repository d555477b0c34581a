"""Numbers that are none: refused in answers, shown where a program made them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.engine.finite import is_finite, recalled
from evaltui.engine.values import PASS, UNIT, JsonError, Value, Verdict, fail, score, tagged
from evaltui.models import FailureClass, Outcome
from evaltui.review.diffing import diff_values

if TYPE_CHECKING:
    from tests.conftest import UlxProject

VALUES: st.SearchStrategy[Value] = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"])) | st.floats() | st.booleans() | st.just(UNIT)
    | st.just(PASS) | st.builds(fail, st.text("ab")) | st.builds(score, st.floats()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kv"), inner, max_size=3),
)  # fmt: skip


def blurred(value: Value) -> Value:
    """The value with every number that is none as NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else "NaN"
    if isinstance(value, Verdict) and isinstance(value.payload, float):
        return value if math.isfinite(value.payload) else "NaN"
    if isinstance(value, list):
        return [blurred(item) for item in value]
    return {k: blurred(v) for k, v in value.items()} if isinstance(value, dict) else value


@given(VALUES)
def test_whatever_was_kept_can_be_recalled(value: Value) -> None:
    again = recalled(tagged(value))
    assert blurred(again) == blurred(value)
    assert is_finite(again) is is_finite(value)


def test_what_is_no_value_is_not_recalled() -> None:
    for text in (
        "",
        "null",
        '{"kind":"Float","value":"x"}',
        '{"kind":"Verdict","value":{"Fail":1}}',
    ):
        with pytest.raises(JsonError):
            recalled(text)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999"])
def test_a_score_that_is_no_number_is_a_malformed_reply(project: UlxProject, text: str) -> None:
    project.answers(
        {"capability": "chat", "text": "hi"}, {"judge": "Kind", "verdict": f"SCORE: {text}"}
    )
    for ran in (project.run(), project.run()):
        assert set(ran.outcomes.values()) == {Outcome.ERROR}
        error = ran.results["a"].error
        assert error is not None
        assert (error.failure_class, error.kind) == (FailureClass.MALFORMED, "invalid_reply")
        assert "not a finite number: Score(" in error.message


def test_a_number_that_a_program_divided_by_zero_can_be_shown(project: UlxProject) -> None:
    text = project.suite.read_text().replace("  reply\n}", "  {r: reply, n: 1 / 0}\n}")
    project.suite.write_text(
        text.replace("-> text {", "-> json {").replace("Kind(reply)", 'Kind("")')
    )
    output = project.run().results["a"].output
    assert output is not None
    assert diff_values(output, output).rows
    assert diff_values(output.replace("null", "1.5"), output).rows
