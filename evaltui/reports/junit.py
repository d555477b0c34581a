"""JUnit XML: one test suite a benchmark, one test case a case.

A case that fails a gate is a failure, a waived one is skipped with the reason, an error an error.
The scope stands in the properties of every suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO
from xml.sax.saxutils import quoteattr

from evaltui.models import Outcome, Section
from evaltui.reports.scope import findings, scope
from evaltui.reports.view import ReportedCase, RunView, next_action
from evaltui.text import safe

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(view: RunView, out: TextIO) -> None:
    """Write the document; it is well formed whatever the cases hold."""
    by_section: dict[int, list[str]] = {}
    counts: dict[int, list[int]] = {}
    for case in view.cases():
        number = case.summary.section
        kind, element = _test_case(view, case)
        by_section.setdefault(number, []).append(element)
        _count(counts.setdefault(number, [0, 0, 0, 0]), kind)
    totals = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0, 0]
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(f"<testsuites{_attributes('evaltui', totals)}>\n")
    for section in view.run.sections:
        elements = by_section.get(section.number, [])
        _write_suite(view, section, elements, counts.get(section.number, [0, 0, 0, 0]), out)
    if not view.run.sections:
        _write_problem(view, out)
    out.write("</testsuites>\n")


def _write_suite(
    view: RunView, section: Section, elements: Iterable[str], counts: list[int], out: TextIO
) -> None:
    name = f"{section.suite}:{section.benchmark}"
    out.write(f"  <testsuite{_attributes(name, counts)} timestamp={_attr(view.run.started_at)}>\n")
    out.write("    <properties>\n")
    for label, text in (*scope(view), *findings(view)):
        out.write(f"      <property name={_attr(label or 'note')} value={_attr(text)}/>\n")
    out.write("    </properties>\n")
    out.writelines(elements)
    out.write("  </testsuite>\n")


def _write_problem(view: RunView, out: TextIO) -> None:
    message = view.incomplete or "; ".join(view.run.problems) or "nothing was run"
    out.write(f"  <testsuite{_attributes('evaltui', [1, 0, 1, 0])}>\n")
    out.write('    <testcase classname="evaltui" name="run">\n')
    out.write(f"      <error message={_attr(message)}/>\n    </testcase>\n  </testsuite>\n")


def _test_case(view: RunView, case: ReportedCase) -> tuple[str, str]:
    row, section = case.summary, view.section(case.summary.section)
    place = f"{section.suite}.{section.benchmark}" if section else "evaltui"
    head = (
        f"    <testcase classname={_attr(place)} name={_attr(row.case_id)} "
        f'time="{row.latency_ms / 1000:.3f}"'
    )
    kind = _kind(view, case)
    if kind == "pass" and not row.message:
        return kind, f"{head}/>\n"
    return kind, f"{head}>\n{_body(view, case, kind)}    </testcase>\n"


def _kind(view: RunView, case: ReportedCase) -> str:
    row = case.summary
    if row.waived or row.outcome is Outcome.SKIPPED:
        return "skipped"
    if row.outcome is Outcome.ERROR:
        return "error"
    return "failure" if view.failing_gates.intersection(row.gates) else "pass"


def _body(view: RunView, case: ReportedCase, kind: str) -> str:
    row = case.summary
    message = row.message or row.change or str(row.outcome)
    if kind == "pass":
        return f"      <system-out>{_text(f'{row.outcome}: {message}')}</system-out>\n"
    if kind == "skipped":
        reason = (row.decision or f"waived: {message}") if row.waived else message
        return f"      <skipped message={_attr(reason)}/>\n"
    type_name = f"{row.failure_class}/{row.kind}" if row.failure_class else str(row.outcome)
    return (
        f"      <{kind} type={_attr(type_name)} message={_attr(message)}>"
        f"{_text(_detail(case))}</{kind}>\n"
    )


def _detail(case: ReportedCase) -> str:
    row = case.summary
    lines = [f"outcome: {row.outcome}", f"gates: {', '.join(row.gates) or 'none'}"]
    for check in case.judgement.checks if case.judgement else ():
        if check.outcome is not Outcome.PASS:
            lines.append(f"{check.id}: {check.outcome}: {check.message[:2000]}")
    lines.append(f"next: {next_action(case, row.case_id)}")
    return "\n".join(lines)


def _count(counts: list[int], kind: str) -> None:
    counts[0] += 1
    if kind != "pass":
        counts[("failure", "error", "skipped").index(kind) + 1] += 1


def _attributes(name: str, counts: list[int]) -> str:
    tests, failures, errors, skipped = counts
    return (
        f' name={_attr(name)} tests="{tests}" failures="{failures}" errors="{errors}" '
        f'skipped="{skipped}"'
    )


def _attr(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", safe(text)))


def _text(text: str) -> str:
    clean = _NOT_XML.sub("\ufffd", safe(text, newlines=True))
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
