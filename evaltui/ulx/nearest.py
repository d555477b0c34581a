"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Suggest = Callable[[str, Iterable[str]], str]
"""From a name and the names that would have been right to a hint, empty when there is none."""

_BUDGET = 500_000


def no_suggestion(name: str, known: Iterable[str]) -> str:
    """For those who show no hints."""
    return ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` with the fewest edits, case aside; None when none is alike.

    One edit is allowed for every three characters; names of one character are only compared.
    """
    from rapidfuzz.distance import OSA

    wanted = name.lower()
    limit = (len(wanted) + 1) // 3
    found: tuple[int, str] | None = None
    for other in known:
        if abs(len(other) - len(name)) > limit:
            continue
        distance = OSA.distance(wanted, other.lower(), score_cutoff=limit)
        if distance <= limit and (found is None or (distance, other) < found):
            found = distance, other
    return found[1] if found else None


class Suggestions:
    """Says ``did you mean``; falls silent when a source has far too many wrong names."""

    def __init__(self) -> None:
        self._left = _BUDGET

    def __call__(self, name: str, known: Iterable[str]) -> str:
        if self._left <= 0:
            return ""
        candidates = set(known) - {name}
        self._left -= len(candidates)
        found = nearest(name, candidates)
        return f"did you mean `{found}`?" if found else ""
