"""Makes baseline files from decisions, which are the truth."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from msgspec import Struct

from evaltui.errors import DecisionError
from evaltui.review import value_files
from evaltui.review.baselines import PREFIX, Baselines, encode, read_baseline
from evaltui.review.chain_index import Chains
from evaltui.review.custody import value_chains
from evaltui.review.durable import write_files
from evaltui.review.executing import refuse_in_ci
from evaltui.review.log import DecisionLog


class Rebuilt(Struct, frozen=True):
    """What became of one baseline file; ``problem`` says why it was left alone."""

    path: Path
    written: bool
    problem: str = ""


def rebuild(folder: Path, today: date) -> list[Rebuilt]:
    """Write every snapshot file of a suite folder that is not what was accepted.

    Files without a decision, and those in conflict, are left alone.

    Raises:
        ActRefused: CI is set.
        DecisionError: a decision file cannot be read, or a baseline cannot be written.
    """
    refuse_in_ci()
    chains = Chains(DecisionLog.load(folder), today)
    wanted, answers = _wanted(chains, Baselines(folder))
    contents: dict[Path, bytes | None] = {}
    for path, (key, digest) in wanted.items():
        try:
            if _is(path, digest):
                answers[path] = Rebuilt(path, False)
                continue
            contents[path] = encode(key, value_files.read(folder, digest))
            answers[path] = Rebuilt(path, True)
        except DecisionError as error:
            answers[path] = Rebuilt(path, False, str(error))
    try:
        write_files(contents)
    except OSError as error:
        place = str(error.filename or folder)
        raise DecisionError(f"cannot be written: {error.strerror}", place=place) from None
    return [answers[path] for path in sorted(answers)]


def _wanted(
    chains: Chains, baselines: Baselines
) -> tuple[dict[Path, tuple[str, str]], dict[Path, Rebuilt]]:
    """Key and digest by file, and the files that cannot be decided."""
    wanted: dict[Path, tuple[str, str]] = {}
    owners: dict[Path, bool] = {}
    problems: dict[Path, Rebuilt] = {}
    for state, check in value_chains(chains):
        key = check.removeprefix(PREFIX)
        path = baselines.path(state.key.benchmark, key)
        digest = state.held.target.new_digest if state.held else None
        if key == check or (digest is None and not state.conflict):
            continue
        own = state.key.case_id is not None
        if state.conflict or digest is None:
            problems[path] = Rebuilt(path, False, "decided differently in two places")
        elif path in wanted and own == owners[path] and wanted[path][1] != digest:
            problems[path] = Rebuilt(path, False, "two cases accepted different values for it")
        elif path not in wanted or own:
            wanted[path], owners[path] = (key, digest), own
    return {path: one for path, one in wanted.items() if path not in problems}, problems


def _is(path: Path, digest: str) -> bool:
    """Whether a file holds the value with this digest; a broken one does not."""
    try:
        file = read_baseline(path)
        return file is not None and file.digest == digest
    except DecisionError:
        return False
