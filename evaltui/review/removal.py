"""Cases that decisions name and the suite no longer has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from evaltui.models import CaseResult, CaseSpec, Judgement
from evaltui.review.context import ReviewContext
from evaltui.review.covering import is_known
from evaltui.review.judging import GONE, judge_case


def removed_cases(
    context: ReviewContext, specs: Iterable[CaseSpec]
) -> list[tuple[CaseSpec, CaseResult, Judgement]]:
    """Rows for the cases of the context's sections that live decisions name and that are gone.

    Not to be asked for a run over part of the cases. Their indices follow the last one of
    ``specs``; within a section they come in the order of their ids.
    """
    present: dict[int, set[str]] = defaultdict(set)
    index = -1
    for spec in specs:
        present[spec.section].add(spec.case_id)
        index = max(index, spec.index)
    rows = []
    for section in context.sections:
        for case_id, case in sorted(context.section(section.number).cases.items()):
            if case_id not in present[section.number] and is_known(case):
                index += 1
                rows.append(_row(context, CaseSpec(index, section.number, case_id, "", "null")))
    return rows


def _row(context: ReviewContext, spec: CaseSpec) -> tuple[CaseSpec, CaseResult, Judgement]:
    result = CaseResult(spec.index, skipped=GONE)
    return spec, result, judge_case(spec, result, context)
