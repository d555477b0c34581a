"""Where the row of a case is written: a line of its dataset file, else one of the suite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from evaltui.engine.json_text import JsonError, parse_json
from evaltui.engine.tagging import content_hash
from evaltui.models import Section
from evaltui.review.editor import line_of
from evaltui.ulx import tree

_LIMIT = 20_000_000
"""Bytes of a dataset that are looked at."""


class Place(Struct, frozen=True):
    """A line of a file, counted from 1."""

    path: Path
    line: int


def place_of(section: Section, case_id: str, row_digest: str = "") -> Place:
    """Where to edit a case.

    Args:
        section: The benchmark it belongs to.
        case_id: Its id.
        row_digest: Content hash of its row, which tells rows apart that mention the same id.

    Raises:
        OSError: the suite cannot be read.
    """
    suite = Path(section.folder, section.suite)
    program = _parsed(suite)
    if program is None:
        return Place(suite, line_of(suite, case_id))
    benchmark, dataset = _declared(program, section.benchmark)
    if dataset is not None and dataset.source is not None:
        rows = suite.parent / dataset.source
        found = _row_line(rows, case_id, row_digest)
        if found:
            return Place(rows, found)
    node = dataset or benchmark
    if node is None:
        return Place(suite, line_of(suite, case_id))
    inline = dataset is not None and dataset.source is None
    return Place(suite, _line_within(suite, node.span, case_id if inline else ""))


def _parsed(suite: Path) -> tree.Program | None:
    from evaltui.ulx.grammar import parse
    from evaltui.ulx.syntax_error import UlxSyntaxError

    try:
        return parse(suite.read_text("utf-8"))
    except (UlxSyntaxError, UnicodeDecodeError):
        return None


def _declared(
    program: tree.Program, name: str
) -> tuple[tree.Benchmark | None, tree.Dataset | None]:
    """A benchmark and the dataset it uses, as far as this file declares them."""
    nodes = program.declarations
    benchmarks = [one for one in nodes if isinstance(one, tree.Benchmark)]
    benchmark = next((one for one in benchmarks if one.name.text == name), None)
    statements = benchmark.statements if benchmark is not None else ()
    used = [one.name.text for one in statements if isinstance(one, tree.UseDataset)]
    datasets = [one for one in nodes if isinstance(one, tree.Dataset)]
    return benchmark, next((one for one in datasets if one.name.text in used), None)


def _row_line(rows: Path, case_id: str, row_digest: str) -> int:
    """The line of a JSONL file that holds a row; 0 when none does."""
    try:
        with rows.open("rb") as file:
            lines = file.read(_LIMIT).split(b"\n")
    except OSError:
        return 0
    spellings = {case_id.encode("utf-8", "surrogatepass"), json.dumps(case_id)[1:-1].encode()}
    near = [number for number, text in enumerate(lines) if any(word in text for word in spellings)]
    if row_digest:
        order: list[int] = near + list(range(len(lines)))
        for number in order:
            if _digest(lines[number]) == row_digest:
                return number + 1
    mentioned = near[0] + 1 if near else 0
    return next(_holding(lines, near, case_id), mentioned)


def _holding(lines: list[bytes], numbers: list[int], case_id: str) -> Iterator[int]:
    """The lines in which the id is the value of a column, not only mentioned."""
    for number in numbers:
        row = _value(lines[number])
        if isinstance(row, dict) and case_id in {str(value) for value in row.values()}:
            yield number + 1


def _digest(text: bytes) -> str:
    value = _value(text)
    return "" if value is None else content_hash(value)  # type: ignore[arg-type]


def _value(text: bytes) -> object | None:
    try:
        return parse_json(text.decode("utf-8").strip())
    except (JsonError, UnicodeDecodeError):
        return None


def _line_within(suite: Path, span: tree.Span, word: str) -> int:
    """The line of a word inside a span of bytes, else of the span's beginning."""
    source = suite.read_bytes()
    place = source.find(word.encode(), span.start, span.end) if word else -1
    return source.count(b"\n", 0, max(place, span.start)) + 1
