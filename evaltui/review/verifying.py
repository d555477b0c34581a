"""Whether the decisions of a suite folder can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from msgspec import Struct

from evaltui.clock import Clock
from evaltui.errors import DecisionError, UsageError
from evaltui.models import Decision
from evaltui.review import decision_files, value_files
from evaltui.review.chain_index import Chains
from evaltui.review.custody import SOUND, Custody, entries_of
from evaltui.review.decision_history import Author, authors_of
from evaltui.review.log import DecisionLog, decision_paths
from evaltui.review.reviewer import reviewer_named

_CUSTODY = {
    Custody.CONFLICT: "was decided differently in two places",
    Custody.UNSIGNED: "has no decision behind it",
    Custody.MOVED: "is not the value that was accepted",
    Custody.MISSING: "is named by a decision but is gone",
    Custody.UNREADABLE: "cannot be read",
}


class Finding(Struct, frozen=True):
    """Something a person should look at; a note alone does not make the check fail."""

    place: Path
    message: str
    note: bool = False


def verify_decisions(
    folder: Path, clock: Clock, longest_days: int | None = None, *, git: bool = False
) -> list[Finding]:
    """Check digests, parents, expiry and reviewers, and that no baseline moved by itself.

    Args:
        folder: A suite folder.
        clock: Says what lies in the future.
        longest_days: The policy's maximum for an expiry, if it is to be checked.
        git: Whether to compare reviewers with the authors of the commits, too.
    """
    readable, findings = _read_all(folder)
    log = DecisionLog.of(folder, readable)
    findings += [Finding(one.path, one.message) for one in log.problems]
    for id, decision in log.decisions.items():
        path = log.files[id]
        found = _problems(log, decision, path, clock.today(), longest_days)
        findings += [Finding(path, message) for message in found]
    chains = Chains(log, clock.today())
    findings += [Finding(folder / "decisions", problem) for problem in chains.problems]
    findings += _conflicts(folder, chains)
    findings += _baselines(folder, chains)
    return findings + (_signatures(folder, log) if git else [])


def _read_all(folder: Path) -> tuple[list[Path], list[Finding]]:
    readable: list[Path] = []
    findings: list[Finding] = []
    for path in sorted(decision_paths(folder)):
        try:
            decision_files.read(path)
            readable.append(path)
        except DecisionError as error:
            findings.append(Finding(path, error.message))
    return readable, findings


def _problems(
    log: DecisionLog, decision: Decision, path: Path, today: date, longest: int | None
) -> Iterator[str]:
    if path.name != decision_files.file_name(decision):
        yield f"should be called {decision_files.file_name(decision)}"
    try:
        reviewer_named(decision.reviewer)
    except UsageError as error:
        yield error.message
    created = date.fromisoformat(decision.created_at[:10])
    if created > today + timedelta(days=1):
        yield f"is dated in the future: {decision.created_at}"
    yield from _expiry(decision, created, longest)
    yield from _references(log, decision)


def _expiry(decision: Decision, created: date, longest: int | None) -> Iterator[str]:
    if decision.expires_at is None:
        return
    days = (date.fromisoformat(decision.expires_at) - created).days
    if days < 0:
        yield "ended before it was made"
    # A day of grace, for reviewers ahead of UTC.
    if longest is not None and days > longest + 1:
        yield f"lasts {days} days, the policy allows {longest}"


def _references(log: DecisionLog, decision: Decision) -> Iterator[str]:
    named = {one for target in decision.targets for one in (target.parent, target.decision) if one}
    for id in sorted(named - log.decisions.keys()):
        yield f"follows {id[:12]}, which is gone"
    digests = {
        digest
        for target in decision.targets
        for digest in (target.old_digest, target.new_digest)
        if digest
    }
    for digest in sorted(digests):
        try:
            value_files.read(log.folder, digest)
        except DecisionError as error:
            yield f"{error.message} ({Path(error.place or '').name})"


def _conflicts(folder: Path, chains: Chains) -> list[Finding]:
    return [
        Finding(
            folder / "decisions",
            f"{state.key.benchmark} {state.key.case_id or ''} {state.key.family}: "
            f"decided differently in {', '.join(end[:12] for end in state.ends)}",
        )
        for state in chains.states.values()
        if state.conflict
    ]


def _baselines(folder: Path, chains: Chains) -> list[Finding]:
    return [
        Finding(entry.path or folder, f"the baseline {_CUSTODY[entry.custody]}")
        for entry in entries_of(chains)
        if entry.custody not in (*SOUND, Custody.CONFLICT)
    ]


def _signatures(folder: Path, log: DecisionLog) -> list[Finding]:
    """Reviewers against the authors of the commits that brought their decisions.

    Raises:
        DecisionError: there is no git, or no repository here.
    """
    authors = authors_of(folder / decision_files.FOLDER)
    return [
        finding
        for id, path in log.files.items()
        for finding in _signature(path, log.decisions[id], authors.get(path.name, []))
    ]


def _signature(path: Path, decision: Decision, authors: list[Author]) -> Iterator[Finding]:
    if not authors:
        yield Finding(path, "is not committed yet", note=True)
        return
    first = authors[-1]
    same = (
        decision.email.casefold() == first.email.casefold()
        if decision.email
        else decision.reviewer.casefold() == first.name.casefold()
    )
    if not same:
        yield Finding(
            path, f"is signed {decision.reviewer} but was committed by {first.name} <{first.email}>"
        )
    if len(authors) > 1:
        yield Finding(path, f"was changed after it was committed, by {authors[0].name}")
