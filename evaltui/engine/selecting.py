"""Which cases of which suites a run covers, numbered over the whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from evaltui.engine.run_plan import Selection
from evaltui.errors import UsageError
from evaltui.models import CaseSpec, CaseSummary, RunInfo, Section
from evaltui.suites.base import LoadedSuite

_Found = tuple[CaseSpec, LoadedSuite, int]


def select(
    suites: Sequence[LoadedSuite], wanted: Callable[[CaseSpec], bool] | None, limit: int | None
) -> Selection:
    """The cases that pass ``wanted``, at most ``limit`` of them, in the order of the suites.

    Raises:
        UsageError: none is left.
    """
    found = (case for case in _numbered(suites) if wanted is None or wanted(case[0]))
    return _selection(sections_of(suites), list(islice(found, limit)))


def select_again(
    suites: Sequence[LoadedSuite], run: RunInfo, planned: Sequence[CaseSummary]
) -> Selection:
    """The cases of a stored run, in its numbering.

    Raises:
        UsageError: a case of it is gone.
    """
    sections = sections_of(suites)
    numbers = {(one.folder, one.suite, one.benchmark): one.number for one in sections}
    cases = {(case[0].section, case[0].case_id): case for case in _numbered(suites)}
    found = []
    for row in planned:
        if row.removed or row.section >= len(run.sections):
            continue
        old = run.sections[row.section]
        case = cases.get((numbers.get((old.folder, old.suite, old.benchmark), -1), row.case_id))
        if case is None:
            raise UsageError(f"case {row.case_id} of run {run.label} is gone", hint="start anew")
        found.append(case)
    return _selection(sections, found)


def sections_of(suites: Sequence[LoadedSuite]) -> tuple[Section, ...]:
    """The benchmarks of several suites, numbered over all of them."""
    flat = [section for suite in suites for section in suite.sections]
    return tuple(replace(section, number=number) for number, section in enumerate(flat))


def _numbered(suites: Sequence[LoadedSuite]) -> Iterator[_Found]:
    base = 0
    for suite in suites:
        for position, spec in enumerate(suite.specs):
            yield (replace(spec, section=base + spec.section) if base else spec), suite, position
        base += len(suite.sections)


def _selection(sections: Sequence[Section], found: list[_Found]) -> Selection:
    if not found:
        raise UsageError("no case to run", hint="look at --filter, --limit and the dataset")
    specs = tuple(
        spec if spec.index == index else replace(spec, index=index)
        for index, (spec, _, _) in enumerate(found)
    )
    counts = [0] * len(sections)
    for spec in specs:
        counts[spec.section] += 1
    counted = [
        replace(section, cases=count) for section, count in zip(sections, counts, strict=True)
    ]
    return Selection(tuple(counted), specs, tuple((suite, place) for _, suite, place in found))
