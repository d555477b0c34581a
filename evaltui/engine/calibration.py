"""``ulx eval calibrate``: how often a judge agrees with people (runtime specification 9.2)."""

from __future__ import annotations

from typing import TextIO

from msgspec import Struct

from evaltui.engine.asking import call_judge
from evaltui.engine.carriers import Value
from evaltui.engine.checking import verdict_check
from evaltui.engine.failures import type_error, unknown, unknown_rubric
from evaltui.engine.machine import Machine
from evaltui.engine.rendering import display
from evaltui.engine.ulx_session import UlxSession
from evaltui.ulx.tree import RubricKind


class Comparison(Struct, frozen=True):
    """One row: what the person said and what the judge said."""

    human: bool
    verdict: Value

    @property
    def agrees(self) -> bool:
        """Whether the judge passes what the person passed."""
        return verdict_check(self.verdict, None)[0] is self.human


def calibrate(session: UlxSession, dataset: str, judge: str) -> list[Comparison]:
    """Ask the judge about every row of a labelled dataset, once.

    Raises:
        RuntimeFailure: a name is unknown, a row is not labelled, or a call fails.
    """
    declarations = session.program.declarations
    rubric = declarations.rubrics.get(judge)
    if rubric is None or rubric.kind is not RubricKind.JUDGE:
        raise unknown_rubric(judge)
    if dataset not in declarations.datasets:
        raise unknown("dataset", dataset)
    machine = Machine(session.effects())
    found: list[Comparison] = []
    for index, row in enumerate(declarations.datasets[dataset](machine)):
        subject, human = _labelled(row, f"dataset `{dataset}` row {index}")
        found.append(Comparison(human, call_judge(rubric, subject, machine)))
    return found


def _labelled(row: Value, place: str) -> tuple[Value, bool]:
    if not isinstance(row, dict):
        raise type_error(f"{place} is not a record (got {display(row)})")
    for name in ("subject", "human_pass"):
        if name not in row:
            raise type_error(f"{place} has no `{name}` field")
    human = row["human_pass"]
    if not isinstance(human, bool):
        raise type_error(f"{place}'s `human_pass` must be a bool, got {display(human)}")
    return row["subject"], human


def write_calibration(
    judge: str, dataset: str, found: list[Comparison], gate: float, stdout: TextIO
) -> int:
    """Print every row and the rate of agreement; 0 when it reaches the gate, else 1."""
    for index, one in enumerate(found):
        word = "AGREE " if one.agrees else "DISAGREE"
        human = display(one.human)
        stdout.write(f"row {index}: {word} human={human} judge={display(one.verdict)}\n")
    agreeing = sum(one.agrees for one in found)
    rate = agreeing / len(found) if found else 1.0
    passed = rate >= gate
    stdout.write(
        f"{judge} calibrated against {dataset}: {agreeing}/{len(found)} agree "
        f"({rate * 100:.1f}%) — {'PASS' if passed else 'FAIL'} threshold {gate * 100:.1f}%\n"
    )
    return 0 if passed else 1
