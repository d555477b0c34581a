"""The rows of a run under review, and finding one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaltui.errors import UsageError
from evaltui.models import CaseSummary, Section
from evaltui.review.tally import Tally, Totals


class Rows:
    """Rows by case index, in case order for a stored run, as they arrived for a live one."""

    def __init__(self, sections: Sequence[Section], rows: Iterable[CaseSummary]) -> None:
        self.sections = sections
        self.all: list[CaseSummary] = []
        self._places: dict[int, int] = {}
        self._tally = Tally()
        self.put(rows)

    def put(self, rows: Iterable[CaseSummary]) -> None:
        """Add rows, or replace those of the same case."""
        for row in rows:
            place = self._places.get(row.index)
            if place is None:
                self._places[row.index] = len(self.all)
                self.all.append(row)
            else:
                self._tally.add(self.all[place], -1)
                self.all[place] = row
            self._tally.add(row)

    def get(self, index: int) -> CaseSummary | None:
        """The row of a case, None while it has none."""
        place = self._places.get(index)
        return None if place is None else self.all[place]

    def totals(self) -> Totals:
        """Numbers over all rows."""
        return self._tally.totals()

    def red(self, section: int, slice_name: str | None = None) -> Iterator[int]:
        """Indices of the red cases of a section, or of one slice of it."""
        return (
            row.index
            for row in self.all
            if row.red and row.section == section and slice_name in (None, *row.slices)
        )

    def find(self, text: str) -> int:
        """The index of the case with this id.

        Args:
            text: A case id, or ``BENCHMARK:ID`` or ``SUITE:BENCHMARK:ID`` where the id alone
                names several.

        Raises:
            UsageError: no case, or several, answer to it.
        """
        exact = [row.index for row in self.all if row.case_id == text]
        if len(exact) == 1:
            return exact[0]
        named = [row for row in self.all if text in self._names(row)] if not exact else []
        if len(named) == 1:
            return named[0].index
        if exact or named:
            several = [row for row in self.all if row.index in exact] or named
            options = ", ".join(self._names(row)[-1] for row in several[:3])
            raise UsageError(f"several cases are called {text!r}", hint=f"say which: {options}")
        raise UsageError(f"no case {text!r} in this run", hint=self._nearest(text))

    def _names(self, row: CaseSummary) -> tuple[str, str]:
        section = self.sections[row.section]
        short = f"{section.benchmark}:{row.case_id}"
        return short, f"{section.suite}:{short}"

    def _nearest(self, text: str) -> str:
        from difflib import get_close_matches

        close = get_close_matches(text, [row.case_id for row in self.all[:5_000]], 1)
        return f"did you mean {close[0]!r}?" if close else "see evaltui show"
