"""The baselines of a suite folder and the decisions behind them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from evaltui.errors import DecisionError
from evaltui.models import Action
from evaltui.review.baselines import PREFIX, Baseline, Baselines, read_baseline
from evaltui.review.chain_index import Chains
from evaltui.review.chains import ChainState
from evaltui.review.expiry import days_left
from evaltui.review.links import Family
from evaltui.review.log import DecisionLog


class Custody(StrEnum):
    """How a baseline and its decision stand to each other."""

    ACCEPTED = "accepted"
    EXPIRED = "expired"
    CONFLICT = "conflict"
    UNSIGNED = "unsigned"
    MOVED = "moved"
    """The file holds another value than the one accepted."""
    MISSING = "missing"
    """A decision names it, but there is no file."""
    UNREADABLE = "unreadable"


SOUND = (Custody.ACCEPTED, Custody.EXPIRED)


class BaselineEntry(Struct, frozen=True):
    """One baseline: a snapshot file, or an accepted score, which has none."""

    folder: Path
    custody: Custody
    benchmark: str
    check: str
    """Check id such as ``snapshot:greet/en``; of an unreadable file its name."""
    path: Path | None = None
    suite: str = ""
    case_id: str | None = None
    reviewer: str = ""
    expires: date | None = None
    decision: str = ""
    digest: str = ""
    """Of the value on disk, or accepted where there is no file."""


class Expiring(Struct, frozen=True):
    """A decision that ends soon or has ended, as far as it is in force."""

    folder: Path
    action: Action
    suite: str
    benchmark: str
    case_id: str | None
    part: str
    """The check, slice or escalation; empty for the whole case."""
    reviewer: str
    expires: date
    days_left: int
    """Negative once it has ended."""
    decision: str


def list_baselines(folder: Path, today: date) -> list[BaselineEntry]:
    """Every baseline of a suite folder, in the order of files, then accepted scores.

    Raises:
        DecisionError: a decision file cannot be read.
    """
    return entries_of(Chains(DecisionLog.load(folder), today))


def entries_of(chains: Chains) -> list[BaselineEntry]:
    """As ``list_baselines``, by chains that were put together before."""
    folder = chains.log.folder
    named = _named(chains, Baselines(folder))
    entries = [_of_file(folder, path, named.pop(path, [])) for path in _files(folder)]
    entries += [
        _of_chain(folder, state, path) for path, states in named.items() for state in states
    ]
    return entries + [_of_chain(folder, state, None) for state in _scores(chains)]


def expiring(folder: Path, today: date, days: int) -> list[Expiring]:
    """Decisions in force of a suite folder that end within ``days``, or have, soonest first.

    Raises:
        DecisionError: a decision file cannot be read.
    """
    chains = Chains(DecisionLog.load(folder), today)
    found = [one for state in chains.states.values() if (one := _expiring(folder, state, today))]
    return sorted((one for one in found if one.days_left <= days), key=lambda one: one.expires)


def _expiring(folder: Path, state: ChainState, today: date) -> Expiring | None:
    held = state.held
    if held is None or held.expires is None or state.conflict:
        return None
    key = state.key
    return Expiring(
        folder,
        held.decision.action,
        key.suite,
        key.benchmark,
        key.case_id,
        " ".join(str(part) for part in key.part if part not in (None, 0)),
        held.signed_by.reviewer,
        held.expires,
        days_left(held.expires, today),
        held.signed_by.id,
    )


def value_chains(chains: Chains) -> Iterator[tuple[ChainState, str]]:
    """Chains of accepted values and their check ids."""
    for state in chains.states.values():
        check = state.key.part[0]
        if state.key.family is Family.VALUE and isinstance(check, str):
            yield state, check


def _named(chains: Chains, baselines: Baselines) -> dict[Path, list[ChainState]]:
    """The snapshot files that decisions name; chains of a case go before adopted ones."""
    named: dict[Path, list[ChainState]] = {}
    for state, check in value_chains(chains):
        if check.startswith(PREFIX) and (state.held is not None or state.conflict):
            path = baselines.path(state.key.benchmark, check.removeprefix(PREFIX))
            named.setdefault(path, []).append(state)
    for states in named.values():
        own = [state for state in states if state.key.case_id is not None]
        states[:] = own or states
    return named


def _scores(chains: Chains) -> list[ChainState]:
    return [
        state
        for state, check in value_chains(chains)
        if not check.startswith(PREFIX) and (state.held is not None or state.conflict)
    ]


def _files(folder: Path) -> list[Path]:
    return sorted((folder / "snapshots").glob("*/[!.]*.json"))


def _of_file(folder: Path, path: Path, states: list[ChainState]) -> BaselineEntry:
    benchmark = path.parent.name
    try:
        file = read_baseline(path)
        digest = file.digest if file is not None else ""
    except DecisionError:
        return BaselineEntry(folder, Custody.UNREADABLE, benchmark, path.name, path)
    if not states or file is None:
        check = f"{PREFIX}{file.key}" if file else path.name
        return BaselineEntry(folder, Custody.UNSIGNED, benchmark, check, path, digest=digest)
    return _entry(folder, _custody(states[0], file), states[0], path, digest)


def _custody(state: ChainState, file: Baseline) -> Custody:
    if state.conflict:
        return Custody.CONFLICT
    if state.held is None or state.held.target.new_digest != file.digest:
        return Custody.MOVED
    return Custody.EXPIRED if state.expired else Custody.ACCEPTED


def _of_chain(folder: Path, state: ChainState, path: Path | None) -> BaselineEntry:
    custody = Custody.MISSING if path is not None else Custody.ACCEPTED
    if path is None and state.expired:
        custody = Custody.EXPIRED
    if state.conflict:
        custody = Custody.CONFLICT
    digest = state.held.target.new_digest if state.held else None
    return _entry(folder, custody, state, path, digest or "")


def _entry(
    folder: Path, custody: Custody, state: ChainState, path: Path | None, digest: str
) -> BaselineEntry:
    held, key = state.held, state.key
    return BaselineEntry(
        folder,
        custody,
        key.benchmark,
        str(key.part[0]),
        path,
        key.suite,
        key.case_id,
        held.signed_by.reviewer if held else "",
        held.expires if held else None,
        held.decision.id if held else "",
        digest,
    )
