"""Which id a row has, and which slices it belongs to (design section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from evaltui.engine.values import Value, content_hash, display
from evaltui.errors import SuiteError

COLUMNS: Final = ("id", "case_id", "fixture_id")
_DIGITS: Final = 16
_LONGEST: Final = 80
_UNIQUE: Final = "give every row an id of its own"


def case_ids(
    rows: Sequence[Value], column: str | None, run_columns: frozenset[str] | None, place: str
) -> list[str]:
    """One unique id a row.

    Args:
        rows: the dataset.
        column: the column that the policy names, if any.
        run_columns: what the ``run:`` statements read; None when they read whole rows.
        place: names the dataset in messages.

    Raises:
        SuiteError: two rows carry one explicit id, or the policy's column is missing in a row.
    """
    first: dict[str, int] = {}
    digests: Counter[str] = Counter()
    ids = []
    for number, row in enumerate(rows, 1):
        explicit = _explicit(row, column, number, place)
        if explicit is None:
            digest = _digest(row, run_columns)
            digests[digest] += 1
            ids.append(digest if digests[digest] == 1 else f"{digest}-{digests[digest]}")
            continue
        if explicit in first:
            raise SuiteError(
                f"rows {first[explicit]} and {number} have the same id {_shown(explicit)}",
                place=place,
                hint=_UNIQUE,
            )
        first[explicit] = number
        ids.append(explicit)
    return ids


def _shown(case_id: str) -> str:
    return repr(case_id if len(case_id) <= _LONGEST else f"{case_id[:_LONGEST]}…")


def slices(row: Value, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Names such as ``lang=fr``; a list puts the row into a slice for each item."""
    if not isinstance(row, dict):
        return ()
    names = []
    for name, column in columns.items():
        if column in row:
            cell = row[column]
            items = cell if isinstance(cell, list) else [cell]
            names += [f"{name}={display(item)}" for item in items]
    return tuple(names)


def _explicit(row: Value, column: str | None, number: int, place: str) -> str | None:
    if not isinstance(row, dict):
        return None
    if column is not None:
        if column not in row:
            raise SuiteError(
                f"row {number} has no {column!r}",
                place=place,
                hint="evaltui.toml names it in [project] case_id",
            )
        if row[column] == "":
            raise SuiteError(f"row {number} has an empty {column!r}", place=place, hint=_UNIQUE)
        return display(row[column])
    for name in COLUMNS:
        if name in row and _can_name(row[name]):
            return display(row[name])
    return None


def _can_name(value: Value) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _digest(row: Value, run_columns: frozenset[str] | None) -> str:
    read = row
    if isinstance(row, dict) and run_columns:
        read = {name: value for name, value in row.items() if name in run_columns}
    return content_hash(read)[:_DIGITS]
