"""Findings as text for people, annotations for GitHub and members for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaltui.text import cells, safe
from evaltui.ulx.findings import Finding

_TAB = 4
_BEFORE = 80
_SHOWN = 160
_LONGEST_LINE = 1_000
_RED = "\x1b[1;31m"
_YELLOW = "\x1b[1;33m"
_CYAN = "\x1b[36m"
_DIM = "\x1b[2m"
_RESET = "\x1b[0m"


def text(finding: Finding, *, colour: bool) -> str:
    """The finding with its source line and what is wrong underlined, ending in a newline."""
    paint = _painted if colour else _plain
    sign = _RED if finding.is_error else _YELLOW
    place = f"{safe(finding.file)}:{finding.line}:{finding.column}:"
    label = paint(f"{finding.severity.value}:", sign)
    rows = [f"{place} {label} {safe(finding.message)} {paint(f'[{finding.rule}]', _DIM)}"]
    number = f"{finding.line:>5}"
    before, marked, after = _line_parts(finding)
    mark = " " * cells(before) + paint("^" * max(cells(marked), 1), sign)
    bar, empty = paint(f"{number} |", _DIM), paint(" " * len(number) + " |", _DIM)
    rows += [f"{bar} {before}{marked}{after}".rstrip(), f"{empty} {mark}"]
    if finding.hint:
        rows.append(f"{paint(' ' * len(number) + ' =', _DIM)} {paint(safe(finding.hint), _CYAN)}")
    return "\n".join(rows) + "\n"


def _painted(shown: str, colour: str) -> str:
    return f"{colour}{shown}{_RESET}"


def _plain(shown: str, colour: str) -> str:
    return shown


def _line_parts(finding: Finding) -> tuple[str, str, str]:
    """What stands before, in and after the marked part of the line, safe, with tabs widened."""
    line, start = finding.source_line, finding.column - 1
    one_line = finding.end_line == finding.line
    end = finding.end_column - 1 if one_line else len(line.rstrip())
    first = max(start - _BEFORE, 0)
    last = min(first + _SHOWN, len(line))
    end = min(max(end, start), max(last, start))
    before = _widened(line[first:start], "")
    marked = _widened(line[start:end], before)
    after = _widened(line[end:last], before + marked)
    left, right = "…" * (first > 0), "…" * (last < len(line))
    return left + safe(before), safe(marked), safe(after) + right


def _widened(part: str, before: str) -> str:
    return (before + part).expandtabs(_TAB)[len(before) :]


def summary(findings: Sequence[Finding], files: int) -> str:
    """One line that counts the findings."""
    errors = sum(finding.is_error for finding in findings)
    counts = [_count(errors, "error")] * (errors > 0)
    warnings = len(findings) - errors
    counts += [_count(warnings, "warning")] * (warnings > 0)
    return f"{' and '.join(counts) or 'no findings'} in {_count(files, 'file')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def workflow_commands(findings: Sequence[Finding]) -> Iterator[str]:
    """One GitHub workflow command a finding."""
    for finding in findings:
        properties = {
            "file": finding.file,
            "line": str(finding.line),
            "endLine": str(finding.end_line),
            "col": str(finding.column),
            "endColumn": str(finding.end_column),
            "title": f"evaltui check: {finding.rule}",
        }
        written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        message = f"{finding.message}; {finding.hint}" if finding.hint else finding.message
        yield f"::{finding.severity.value} {written}::{_data(message)}"


def _data(value: str) -> str:
    return safe(value).replace("%", "%25")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def members(finding: Finding) -> dict[str, str | int | None]:
    """The finding as JSON members, whose names stay the same; the line is cut when very long."""
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "message": finding.message,
        "suggestion": finding.hint or None,
        "source_line": finding.source_line[:_LONGEST_LINE],
    }
