"""Runs that were not run here: what is read from other places, and how the store takes it.

A kind of source is a name, a word on what it looks like, and one function that reads it. Stored
runs say where they come from; importing the same source again adds nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.errors import StoreError, UsageError
from evaltui.models import CaseResult, CaseSpec, Judgement, Outcome, RunInfo
from evaltui.redaction import SecretScanner
from evaltui.review.summary import summarise
from evaltui.store.records import CachedAnswer
from evaltui.store.store import Store

ImportedCase = tuple[CaseSpec, CaseResult]


class ImportedRun(Struct, frozen=True):
    """A run with all its cases. Its id is made from its content, so that it is found again."""

    run: RunInfo
    cases: tuple[ImportedCase, ...]


class Found(Struct):
    """What a source holds; ``skipped`` counts what could not be used, by what it is."""

    runs: list[ImportedRun] = field(default_factory=list)
    answers: dict[str, CachedAnswer] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)


class SourceKind(Struct, frozen=True):
    """One kind of source.

    ``locate`` answers where in a path it lies, or None; ``read`` reads it, secrets left out.
    """

    name: str
    locate: Callable[[Path], Path | None]
    read: Callable[[Path, SecretScanner], Found]


class Imported(Struct, frozen=True):
    """What an import added: new runs, how many were there before, and new answers."""

    runs: tuple[RunInfo, ...]
    known: int
    answers: int
    skipped: Mapping[str, int]


def kinds() -> tuple[SourceKind, ...]:
    """The kinds of source, the first that recognises a path is taken."""
    from evaltui.engine import import_ulexite

    return (import_ulexite.KIND,)


def read_source(path: Path, scanner: SecretScanner) -> Found:
    """Everything that can be used of the source at ``path``.

    Raises:
        UsageError: there is none.
    """
    if not path.exists():
        raise UsageError("no such file or folder", place=str(path))
    for kind in kinds():
        place = kind.locate(path)
        if place is not None:
            return kind.read(place, scanner)
    names = ", ".join(kind.name for kind in kinds())
    raise UsageError("there is nothing to import", place=str(path), hint=f"looked for {names}")


def take_in(store: Store, found: Found) -> Imported:
    """Store what is new in ``found``, the oldest run first.

    Raises:
        StoreError: the store cannot be written.
    """
    added: list[RunInfo] = []
    stored: RunInfo | None = None
    for one in sorted(found.runs, key=lambda run: (run.run.started_at, run.run.id)):
        known = _stored(store, one.run.id)
        stored = known if known is not None and known.state == "finished" else None
        if stored is None:
            stored = _store(store, one, known)
            added.append(stored)
    answers = {k: one for k, one in found.answers.items() if store.cached(k) is None}
    kept = _keep(store, stored, answers) if stored is not None else 0
    return Imported(tuple(added), len(found.runs) - len(added), kept, dict(found.skipped))


def _stored(store: Store, run_id: str) -> RunInfo | None:
    try:
        return store.run(run_id)
    except StoreError:
        return None


def _store(store: Store, one: ImportedRun, begun: RunInfo | None) -> RunInfo:
    """Store a run; ``begun`` is what an import that was cut short has left of it."""
    run = begun or store.begin_run(one.run, [spec for spec, _ in one.cases])
    with store.writer(run.id) as writer:
        for spec, result in one.cases:
            judgement = Judgement(Outcome.SKIPPED, message=result.skipped or "")
            writer.put(spec, result, judgement, summarise(spec, result, judgement))
    store.finish_run(run.id, "finished", one.run.finished_at, one.run.problems)
    return store.run(run.id)


def _keep(store: Store, run: RunInfo, answers: Mapping[str, CachedAnswer]) -> int:
    if answers:
        with store.writer(run.id) as writer:
            for key, answer in answers.items():
                writer.cache(key, replace(answer, run_id=run.id, run_label=run.label))
    return len(answers)
