"""Numbers from people, as the policy, the command line and decision files take them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.decimals import decimal_of
from evaltui.errors import ConfigurationError, DecisionError, UsageError
from evaltui.models import Action, Decision, Target
from evaltui.policy_file import parse_policy
from evaltui.review import decision_files
from evaltui.review.widening import number_of

BEYOND = ["NaN", "inf", "-inf", "1e999999999999", "1e51", "1e-60", "9" * 60, "0." + "1" * 60, "x"]
WIDENED = Decision(
    "",
    Action.WIDEN_TOLERANCE,
    "ana",
    "2026-01-31T12:00:00Z",
    (Target("a.ulx", "B", "one", "expect#1", old_tolerance="0", new_tolerance="0.5"),),
    expires_at="2026-04-30",
)


@pytest.mark.parametrize("text", ["0", "0.05", "1e-9", " 12.50 ", "1E+10", "-3", "9" * 50])
def test_ordinary_numbers_are_taken_as_they_are(text: str) -> None:
    assert decimal_of(text) == Decimal(text)


@pytest.mark.parametrize("text", BEYOND)
def test_others_are_refused_wherever_they_are_written(tmp_path: Path, text: str) -> None:
    assert decimal_of(text) is None
    with pytest.raises(ConfigurationError, match=r"x:2: `tolerance\.B/expect#1` must be a number"):
        parse_policy(f'[tolerance]\n"B/expect#1" = "{text}"\n', "x")
    with pytest.raises(UsageError, match="not a tolerance"):
        number_of(text)
    target = replace(WIDENED.targets[0], new_tolerance=text)
    path = tmp_path / "d.json"
    path.write_text(decision_files.encode(decision_files.sign(replace(WIDENED, targets=(target,)))))
    with pytest.raises(DecisionError, match="lacks what widen_tolerance needs"):
        decision_files.read(path)


def test_the_former_tolerance_is_a_number_too(tmp_path: Path) -> None:
    target = replace(WIDENED.targets[0], old_tolerance="\x1b[31m")
    path = tmp_path / "d.json"
    path.write_text(decision_files.encode(decision_files.sign(replace(WIDENED, targets=(target,)))))
    with pytest.raises(DecisionError, match=r"targets\[0\] has a tolerance that is no number"):
        decision_files.read(path)
