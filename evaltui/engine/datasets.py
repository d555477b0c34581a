"""Rows of datasets, inline or from JSONL files (runtime specification 8.1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from evaltui.engine.carriers import Value
from evaltui.engine.compiling import Scope, compile_node
from evaltui.engine.failures import io_error
from evaltui.engine.json_text import JsonError, parse_json
from evaltui.engine.machine import Machine
from evaltui.engine.white_space import trimmed
from evaltui.paths import lies_below
from evaltui.ulx import tree
from evaltui.ulx.reading import LARGEST_DATA, ReadFailure, read_text

Loader: TypeAlias = "Callable[[Machine], list[Value]]"


def dataset_loader(node: tree.Dataset, scope: Scope, base: str, root: Path | None) -> Loader:
    """What loads the rows of a dataset afresh.

    Files are relative to ``base``, the entry's directory as typed; with ``root`` they have to stay
    below it.
    """
    if node.source is None:
        return _inline(node, scope)
    name = node.name.text
    path = os.path.join(base, node.source)  # noqa: PTH118 - messages show it as written

    def load(machine: Machine) -> list[Value]:
        if root is not None and not lies_below(path, root):
            raise io_error(f"reading dataset `{name}` at {path}: outside the project {root}")
        return read_rows(name, path)

    return load


def _inline(node: tree.Dataset, scope: Scope) -> Loader:
    rows = [compile_node(row, scope) for row in node.rows]

    def load(machine: Machine) -> list[Value]:
        empty = Machine(machine.effects)
        return [row(empty) for row in rows]

    return load


def read_rows(name: str, path: str) -> list[Value]:
    """The values of a JSONL file, one a line, blank lines skipped.

    Raises:
        RuntimeFailure: the file cannot be read, or a line is not JSON.
    """
    try:
        text = read_text(Path(path), LARGEST_DATA)
    except ReadFailure as failure:
        raise io_error(f"reading dataset `{name}` at {path}: {failure}") from failure
    try:
        return [parse_json(line) for line in map(trimmed, text.split("\n")) if line]
    except JsonError as error:
        raise io_error(f"parsing dataset `{name}` row: {error}") from error
