"""Finds rows that share one snapshot key: the later would be compared with the earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaltui.models import CaseResult, CaseSpec, CheckKind

if TYPE_CHECKING:
    from evaltui.engine.run_plan import RunPlan

_SHOWN = 10


class SharedKeys:
    """Snapshot keys of a run, noted case by case in any order."""

    def __init__(self) -> None:
        self._owners: dict[tuple[int, str], int] = {}
        self._shared: dict[tuple[int, str], set[int]] = {}

    def note(self, spec: CaseSpec, result: CaseResult) -> None:
        """Look at the snapshots of a finished case."""
        for check in result.checks:
            if check.kind is CheckKind.SNAPSHOT and check.key is not None:
                place = spec.section, check.key
                owner = self._owners.setdefault(place, spec.index)
                if owner != spec.index:
                    self._shared.setdefault(place, {owner}).add(spec.index)

    def warnings(self, plan: RunPlan) -> list[str]:
        """One line a shared key, both rows named; many are summed up."""
        lines = [
            f"{plan.run.sections[section].benchmark}: the rows "
            f"{' and '.join(plan.specs[index].case_id for index in sorted(indices)[:2])}"
            f"{_more(len(indices) - 2)} share the snapshot key {key!r}: give each a key of its own"
            for (section, key), indices in sorted(self._shared.items(), key=_first)
        ]
        return lines[:_SHOWN] + (
            [f"{len(lines) - _SHOWN} more shared snapshot keys"] * (len(lines) > _SHOWN)
        )


def _first(item: tuple[tuple[int, str], set[int]]) -> int:
    return min(item[1])


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
