"""The files that an act writes: decisions, the values they name, and baselines made from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.engine.values import untagged
from evaltui.errors import DecisionError
from evaltui.models import Decision, Target
from evaltui.review import decision_files, value_files
from evaltui.review.accepting import snapshot_key
from evaltui.review.acts import PlannedTarget
from evaltui.review.baselines import PREFIX, digest_of, encode
from evaltui.review.chain_index import Chains
from evaltui.review.chains import ChainState
from evaltui.review.context import FolderReview
from evaltui.review.links import Family


class ActFiles(Struct):
    """Everything an act puts on disk, by path; None removes a baseline that the act had made."""

    decisions: list[tuple[str, Decision]] = field(default_factory=list)
    """Suite folder and decision."""
    values: dict[Path, bytes] = field(default_factory=dict)
    baselines: dict[Path, bytes | None] = field(default_factory=dict)

    @property
    def decision_files(self) -> dict[Path, bytes | None]:
        """The decision files."""
        return {
            decision_files.path_of(Path(folder), one): decision_files.encode(one).encode()
            for folder, one in self.decisions
        }


def files_of(
    act: Decision, planned: Iterable[PlannedTarget], folders: dict[str, FolderReview]
) -> ActFiles:
    """The files of an act, one decision for each suite folder that it touches.

    Args:
        act: The decision without targets and id.
        planned: What it is about.
        folders: The suite folders as they stand.
    """
    by_folder: dict[str, list[PlannedTarget]] = defaultdict(list)
    for one in planned:
        by_folder[one.section.folder].append(one)
    files = ActFiles()
    for name, targets in by_folder.items():
        decision = decision_files.sign(replace(act, targets=_targets(targets)))
        files.decisions.append((name, decision))
        _add_values(files, folders[name], targets)
        files.baselines.update(baselines_after(folders[name], decision))
    return files


def baselines_after(folder: FolderReview, decision: Decision) -> dict[Path, bytes | None]:
    """The snapshot files that change when ``decision`` is added to a folder."""
    chains = Chains(folder.log.with_decisions([decision]), folder.chains.today)
    changes: dict[Path, bytes | None] = {}
    for link in chains.links(decision):
        key = snapshot_key(str(link.key.part[0]))
        if link.key.family is not Family.VALUE or key is None:
            continue
        state = chains.of(link.key)
        if not state.conflict:
            digest = _digest_after(chains, state, key)
            if digest != _digest_now(folder, link.key.benchmark, key):
                content = None if digest is None else encode(key, folder.value(digest))
                changes[folder.baselines.path(link.key.benchmark, key)] = content
    return changes


def _digest_now(folder: FolderReview, benchmark: str, key: str) -> str | None:
    """The digest of the value on disk; empty for a file that is broken."""
    try:
        file = folder.baselines.read(benchmark, key)
        return None if file is None else file.digest
    except DecisionError:
        return ""


def _digest_after(chains: Chains, state: ChainState, key: str) -> str | None:
    """What the baseline of a chain should hold: what is held, else what was there before it."""
    held = state.held
    if held is None:
        section = chains.section(state.key.suite, state.key.benchmark)
        wide = section.wide_values.get(f"{PREFIX}{key}")
        held = wide.held if wide is not None else None
    return held.target.new_digest if held is not None else _before(chains, state)


def _before(chains: Chains, state: ChainState) -> str | None:
    """The digest of the unsigned baseline that the first acceptance of a chain replaced."""
    for leaf in state.leaves:
        named = chains.log.decisions.get(leaf.undoes or "")
        while named is not None:
            link = next((one for one in chains.links(named) if one.key == state.key), None)
            if link is None:
                break
            if link.undoes is None:
                return link.target.old_digest
            named = chains.log.decisions.get(link.undoes)
    return None


def _targets(planned: Sequence[PlannedTarget]) -> tuple[Target, ...]:
    """The targets, each followed by those that close further ends of its chain."""
    targets: list[Target] = []
    for one in planned:
        targets.append(one.target)
        targets += [
            replace(
                one.target,
                parent=end,
                decision=end,
                old_digest=None,
                new_digest=None,
                old_tolerance=None,
                new_tolerance=None,
                value=None,
                instrument=None,
            )
            for end in one.ends[1:]
        ]
    return tuple(targets)


def _add_values(files: ActFiles, folder: FolderReview, planned: Iterable[PlannedTarget]) -> None:
    for one in planned:
        for text in (one.old, one.new):
            if text is None:
                continue
            digest, value = digest_of(text), untagged(text)
            folder.remember(digest, value)
            path = value_files.path_of(folder.path, digest)
            if path not in files.values and not path.exists():
                files.values[path] = value_files.encode(value)
