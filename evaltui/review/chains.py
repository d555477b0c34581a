"""What holds at the end of one chain. Parents decide, never clocks.

A ``renew`` keeps what holds and moves its expiry; a ``revert`` goes back to what held before the
decision it names, so that reverting a revert brings that decision back. Two ends are a conflict,
unless they hold the same, or all but one merely went back to what the branches started from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from evaltui.models import Action, Decision, Target
from evaltui.review.links import Key, Link


@lru_cache(maxsize=4096)
def _day(text: str) -> date:
    return date.fromisoformat(text)


class Held(Struct, frozen=True):
    """What a link establishes: the decision whose effect counts, and until when."""

    decision: Decision
    target: Target
    signed_by: Decision
    """The decision that set the expiry: itself, or the latest renewal."""
    contested: bool = False
    """Whether it is one side of a conflict whose closing was taken back."""

    @property
    def expires(self) -> date | None:
        """The last day on which it counts; None without an end."""
        text = self.signed_by.expires_at
        return _day(text) if text else None


class ChainState(Struct, frozen=True):
    """How one chain stands today; an untouched one has no leaves."""

    key: Key
    leaves: tuple[Link, ...] = ()
    held: Held | None = None
    expired: bool = False
    conflict: bool = False
    holds: tuple[Held | None, ...] = ()
    """What each of ``leaves`` establishes."""
    positions: tuple[tuple[str, ...], ...] = ()
    """For each of ``leaves`` the decisions to which it leads back: itself and, when it reverts
    one, whatever came before that. The last one is no revert."""

    @property
    def live(self) -> Held | None:
        """What is in force: not expired, not in conflict."""
        return None if self.expired or self.conflict else self.held

    @property
    def ends(self) -> tuple[str, ...]:
        """The ids that the next decision of this chain follows, the one in force first."""
        return tuple(leaf.decision.id for leaf in self.leaves)

    def end_at(self, decision: str) -> str | None:
        """The end that stands where this decision left things, so that it can be reverted."""
        places = zip(self.ends, self.positions, strict=True)
        return next((end for end, known in places if decision in known), None)


def resolve(key: Key, links: Mapping[str, Link], today: date, problems: list[str]) -> ChainState:
    """The state of the chain that ``links`` (by decision id) make, in whatever order they came."""
    if len(links) == 1:
        return _single(key, next(iter(links.values())), today)
    held = _hold(links, problems)
    followed = {parent for id in held for parent in links[id].parents}
    leaves = tuple(links[id] for id in sorted(held.keys() - followed))
    if not leaves:
        return ChainState(key)
    ends = leaves if len(leaves) == 1 else _ends_that_moved(links, held, leaves)
    now = held[ends[0].decision.id]
    ordered = (ends[0], *(leaf for leaf in leaves if leaf is not ends[0]))
    conflict = any(held[leaf.decision.id] != now for leaf in ends)
    conflict = conflict or (now is not None and now.contested)
    expired = now is not None and now.expires is not None and now.expires < today
    holds = tuple(held[leaf.decision.id] for leaf in ordered)
    positions = tuple(_positions(links, leaf) for leaf in ordered)
    return ChainState(key, ordered, now, expired and not conflict, conflict, holds, positions)


def _single(key: Key, link: Link, today: date) -> ChainState:
    """The state of a chain of one link, which most chains are."""
    plain = link.undoes is None and link.decision.action is not Action.RENEW
    held = Held(link.decision, link.target, link.decision) if plain else None
    expired = held is not None and held.expires is not None and held.expires < today
    positions = ((link.decision.id,),)
    return ChainState(key, (link,), held, expired, False, (held,), positions)


def add(links: dict[str, Link], link: Link) -> None:
    """Put a link into its chain.

    Several targets of one decision about one chain make one link that follows all their parents:
    that is how a person closes a conflict.
    """
    earlier = links.get(link.decision.id)
    if earlier is not None:
        parents = tuple(dict.fromkeys((*earlier.parents, *link.parents)))
        link = replace(earlier, parents=parents)
    links[link.decision.id] = link


def _hold(links: Mapping[str, Link], problems: list[str]) -> dict[str, Held | None]:
    """What each link establishes; parents first, links in a circle left out."""
    held: dict[str, Held | None] = {}
    waiting = list(links.values())
    while waiting:
        left = []
        for link in waiting:
            if all(parent in held or parent not in links for parent in link.parents):
                held[link.decision.id] = _establish(link, links, held)
            else:
                left.append(link)
        if len(left) == len(waiting):
            problems.append(f"decision {left[0].decision.id[:12]} follows itself in a circle")
            break
        waiting = left
    return held


def _establish(
    link: Link, links: Mapping[str, Link], held: Mapping[str, Held | None]
) -> Held | None:
    if link.undoes is not None:
        undone = links.get(link.undoes)
        return _before([held.get(parent) for parent in undone.parents]) if undone else None
    if link.decision.action is Action.RENEW:
        kept = held.get(link.parents[0]) if link.parents else None
        return replace(kept, signed_by=link.decision) if kept else None
    return Held(link.decision, link.target, link.decision)


def _before(sides: Sequence[Held | None]) -> Held | None:
    """What held before a decision that followed these."""
    if not sides or all(side == sides[0] for side in sides):
        return sides[0] if sides else None
    known = next(side for side in sides if side is not None)
    return replace(known, contested=True)


def _positions(links: Mapping[str, Link], leaf: Link) -> tuple[str, ...]:
    found = [leaf.decision.id]
    link: Link | None = leaf
    while link is not None and link.undoes is not None:
        undone = links.get(link.undoes)
        link = links.get(undone.parents[0]) if undone and undone.parents else None
        if link is not None:
            found.append(link.decision.id)
    return tuple(found)


def _ends_that_moved(
    links: Mapping[str, Link], held: Mapping[str, Held | None], leaves: Sequence[Link]
) -> Sequence[Link]:
    """The ends that hold something else than the branches started from (at least one)."""
    common = set.intersection(*(_ancestors(links, leaf) for leaf in leaves))
    tips = common - {parent for id in common for parent in links[id].parents}
    if len(tips) > 1:
        return leaves
    start = held[tips.pop()] if tips else None
    return [leaf for leaf in leaves if held[leaf.decision.id] != start] or leaves[:1]


def _ancestors(links: Mapping[str, Link], leaf: Link) -> set[str]:
    found: set[str] = set()
    waiting = list(leaf.parents)
    while waiting:
        id = waiting.pop()
        if id in links and id not in found:
            found.add(id)
            waiting += links[id].parents
    return found
