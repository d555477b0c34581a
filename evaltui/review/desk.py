"""What a person has in front of them while triaging: which cases are shown, marked, chosen."""

from __future__ import annotations

from collections.abc import Iterable

from evaltui.models import CaseSummary
from evaltui.review.filtering import Filter, Predicate, parse_filter
from evaltui.review.view import QUICK_FILTERS, SORT_KEYS, RowView

_QUICK = tuple(QUICK_FILTERS)
_COLUMNS = (None, *SORT_KEYS)


def is_red(row: CaseSummary) -> bool:
    """Whether a person still has to look at the case."""
    return row.red


class Desk:
    """Filters, order, marks and the cases an act is about, over one ``RowView``."""

    def __init__(self) -> None:
        self.view = RowView()
        self.quick = "all"
        """One of ``all``, ``red``, ``infrastructure``, ``undecided``."""
        self.filter: Filter = parse_filter("")
        self.range_from: int | None = None
        """The case a range of marks begins at, while one is being chosen."""

    def set_filter(self, text: str) -> None:
        """Show the cases that ``text`` lets through.

        Raises:
            UsageError: not a filter; what is shown stays as it is.
        """
        self.filter = parse_filter(text)
        self._show()

    def cycle_quick(self) -> None:
        """Go on to the next of all, red, infrastructure, undecided."""
        self.quick = _QUICK[(_QUICK.index(self.quick) + 1) % len(_QUICK)]
        self._show()

    def show_all(self) -> None:
        """Drop both filters."""
        self.quick, self.filter = "all", parse_filter("")
        self._show()

    def order_by_next(self) -> None:
        """Order by the next column; after the last one, in case order again."""
        place = _COLUMNS.index(self.view.sort_column)
        self.view.sort_by(_COLUMNS[(place + 1) % len(_COLUMNS)])

    def order_by(self, column: str) -> None:
        """Order by a column; by the same one again, turn it around, then case order."""
        if self.view.sort_column != column:
            self.view.sort_by(column)
        elif not self.view.descending:
            self.view.sort_by(column, descending=True)
        else:
            self.view.sort_by(None)

    def reverse(self) -> None:
        """Turn the order around."""
        self.view.sort_by(self.view.sort_column, not self.view.descending)

    def toggle_range(self, index: int) -> None:
        """Begin a range of marks at a case, or end it there and mark what lies between."""
        start = self.range_from
        first = None if start is None else self.view.position_of(start)
        last = self.view.position_of(index)
        if first is None or last is None:
            self.range_from = index
            return
        self.view.mark_range(first, last)
        self.range_from = None

    def next_position(self, position: int, step: int) -> int | None:
        """Where ``n`` and ``N`` go: the next red case; any case while filtering by text."""
        searching = any(not term.field and not term.inverted for term in self.filter.terms)
        return self.view.next_where((lambda row: True) if searching else is_red, position, step)

    def chosen(self, cursor: int | None) -> list[int]:
        """The marked cases, in case order; without marks the one under the cursor."""
        if self.view.marks:
            return sorted(self.view.marks)
        return [] if cursor is None else [cursor]

    def chosen_widely(self) -> list[int]:
        """The marked cases; without marks all that are shown."""
        return sorted(self.view.marks or self.view.shown())

    def decided(self, indices: Iterable[int]) -> None:
        """Drop the marks of cases that an act was about, so that the next act is not about them."""
        self.view.marks.difference_update(indices)
        self.range_from = None

    @property
    def filtered(self) -> bool:
        """Whether some cases may be hidden."""
        return self.quick != "all" or not self.filter.empty

    @property
    def narrowed(self) -> bool:
        """Whether ``esc`` has something to drop: a range, a filter or marks."""
        return self.filtered or self.range_from is not None or bool(self.view.marks)

    def status(self, following: bool = False) -> str:
        """One line about what is shown."""
        view = self.view
        parts = [f"{view.total:,} case" + ("" if view.total == 1 else "s")]
        if self.filtered:
            parts = [f"{view.count:,} of {view.total:,} shown"]
        if self.quick != "all":
            parts.append(self.quick)
        if not self.filter.empty:
            parts.append(f"/{self.filter.text}")
        if view.sort_column is not None or view.descending:
            turned = ", reversed" if view.descending else ""
            parts.append(f"by {view.sort_column or 'case order'}{turned}")
        if view.marks:
            hidden = sum(view.position_of(index) is None for index in view.marks)
            unseen = f", {hidden:,} of them hidden" if hidden else ""
            parts.append(f"{len(view.marks):,} marked{unseen}: A, x and r are about them")
        if self.range_from is not None:
            parts.append("choosing a range: v ends it, esc drops it")
        if following:
            parts.append("following the newest")
        return " · ".join(parts)

    def nothing_shown(self) -> str:
        """Why the table is empty, and what to do."""
        if not self.view.total:
            return "No case has finished yet."
        what = f"/{self.filter.text}" if not self.filter.empty else self.quick
        return f"0 of {self.view.total:,} cases match {what}. Press esc to show all."

    def _show(self) -> None:
        quick = QUICK_FILTERS[self.quick]
        self.view.filter_by(_both(quick, self.filter.predicate))


def _both(first: Predicate | None, second: Predicate | None) -> Predicate | None:
    if first is None or second is None:
        return first or second
    one, other = first, second
    return lambda row: one(row) and other(row)
