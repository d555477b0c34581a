"""The order of an act, and what is done about one that was cut short (design section 4).

Intent in the store, values, baseline files, decision files (the first is the commit point), mark
in the store. Whoever starts next finds the intent: with a decision file the rest is done, without
one the old baselines are put back.
"""

from __future__ import annotations

import errno
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from evaltui.clock import Ids
from evaltui.errors import DecisionError
from evaltui.review.act_files import ActFiles
from evaltui.review.durable import Step, nothing, remove_parts, write_files
from evaltui.store.records import Intent, MarkState
from evaltui.store.store import Store

_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


class FileChange(msgspec.Struct, frozen=True):
    """A file before and after an act, in base 64; None where there is no file."""

    path: str
    old: str | None
    new: str | None


class MarkChange(msgspec.Struct, frozen=True):
    """What happens to the undo stack: a new mark, or ``number`` moves to ``state``."""

    project: str
    content: str
    number: int | None = None
    state: str = MarkState.DONE


class ActIntent(msgspec.Struct, frozen=True):
    """All that is needed to finish an act or to take it back."""

    baselines: list[FileChange]
    decisions: list[FileChange]
    mark: MarkChange


def commit_files(
    store: Store, ids: Ids, files: ActFiles, mark: MarkChange, step: Step = nothing
) -> None:
    """Carry out an act. To be called while holding ``store.exclusive()``.

    Args:
        store: Keeps the intent and the mark.
        ids: Names the intent.
        files: What to write.
        mark: What happens to the undo stack.
        step: Called with the name of each step once it is on disk.

    Raises:
        DecisionError: a file could not be written; everything is as before.
        StoreError: the store could not be written.
    """
    intent = _intent(files, mark)
    taken = next((one for one in intent.decisions if one.old is not None), None)
    if taken is not None:
        raise DecisionError("this decision was written before", place=taken.path)
    intent_id = ids.token(8)
    written = _placed(intent, store.kept)
    store.log_intent(intent_id, msgspec.json.encode(written).decode())
    try:
        step("intent")
        write_files(files.values, "value", step)
        write_files(_after(intent.baselines), "baseline", step)
        write_files(_after(intent.decisions), "decision", step)
    except BaseException as error:
        if not _committed(intent):
            _restore(intent)
            store.finish_intent(intent_id, "restored")
        if isinstance(error, OSError):
            raise _not_written(error, intent) from None
        raise
    _mark(store, mark)
    step("mark")
    store.finish_intent(intent_id, "done")
    step("end")


def _not_written(error: OSError, intent: ActIntent) -> DecisionError:
    anywhere = next((one.path for one in (*intent.decisions, *intent.baselines)), "")
    place = str(error.filename or Path(anywhere).parent)
    way_out = "free some space" if error.errno == errno.ENOSPC else "make the folder writable"
    if _committed(intent):
        message = f"the act is decided, but not all of it could be written: {error.strerror}"
        return DecisionError(message, place=place, hint=f"{way_out}; the next command finishes it")
    message = f"the act could not be written: {error.strerror}"
    hint = f"nothing was changed; {way_out} and decide again"
    return DecisionError(message, place=place, hint=hint)


def _intent(files: ActFiles, mark: MarkChange) -> ActIntent:
    try:
        return ActIntent(
            [_change(path, new) for path, new in files.baselines.items()],
            [_change(path, new) for path, new in files.decision_files.items()],
            mark,
        )
    except OSError as error:
        fact, place = f"cannot be read: {error.strerror}", str(error.filename)
        raise DecisionError(fact, place=place, hint="nothing was changed") from None


def repair(store: Store) -> list[str]:
    """Finish or take back the acts that were cut short; answers one line for each.

    Raises:
        DecisionError: a file that has to be put right cannot be written.
    """
    if store.read_only or not store.open_intents():
        return []
    with store.exclusive():
        return [_repair_one(store, one) for one in store.open_intents()]


def _repair_one(store: Store, stored: Intent) -> str:
    intent = _placed(msgspec.json.decode(stored.content, type=ActIntent), store.found)
    folders = [Path(one.path).parent for one in (*intent.baselines, *intent.decisions)]
    remove_parts(folders)
    remove_parts(folder / "values" for folder in folders)
    done = _committed(intent)
    try:
        if done:
            _finish(intent)
            _mark(store, intent.mark)
        else:
            _restore(intent)
    except OSError as error:
        raise DecisionError(
            f"an act that was cut short cannot be put right: {error.strerror}",
            place=str(error.filename),
        ) from None
    store.finish_intent(stored.id, "done" if done else "restored")
    what = "was finished" if done else "was taken back"
    return f"an act of {stored.created_at} that was cut short {what}"


def _placed(intent: ActIntent, place: Callable[[str], str]) -> ActIntent:
    """The same act with its paths as they are written down, or as they are on disk."""

    def placed(changes: list[FileChange]) -> list[FileChange]:
        return [replace(one, path=place(one.path)) for one in changes]

    return replace(intent, baselines=placed(intent.baselines), decisions=placed(intent.decisions))


def _committed(intent: ActIntent) -> bool:
    return any(Path(one.path).exists() for one in intent.decisions)


def _finish(intent: ActIntent) -> None:
    """Write what is still missing. Files that changed since the act are left alone."""
    write_files(_pending(intent.baselines, lambda one: (one.old, one.new)))
    write_files(_pending(intent.decisions, lambda one: (None, one.new)))


def _restore(intent: ActIntent) -> None:
    write_files(_pending(intent.baselines, lambda one: (one.new, one.old)))


def _pending(
    changes: list[FileChange], ends: Callable[[FileChange], tuple[str | None, str | None]]
) -> dict[Path, bytes | None]:
    """The files that still are as the first of both ends says, with the content of the second."""
    pending = {}
    for one in changes:
        now, then = ends(one)
        if now != then and _encoded(_read(Path(one.path))) == now:
            pending[Path(one.path)] = _decoded(then)
    return pending


def _mark(store: Store, mark: MarkChange) -> None:
    """Move the undo stack, unless that was done before the act was cut short."""
    if mark.number is not None:
        store.set_mark(mark.number, MarkState(mark.state), mark.content)
        return
    last = store.last_done(mark.project)
    if last is None or last.content != mark.content:
        store.push_mark(mark.project, mark.content)


def _change(path: Path, new: bytes | None) -> FileChange:
    return FileChange(str(path), _encoded(_read(path)), _encoded(new))


def _after(changes: list[FileChange]) -> Mapping[Path, bytes | None]:
    return {Path(one.path): _decoded(one.new) for one in changes if one.old != one.new}


def _read(path: Path) -> bytes | None:
    """The content of a file; None where there is none, and where there cannot be one."""
    try:
        return path.read_bytes()
    except OSError as error:
        if error.errno in _NO_FILE:
            return None
        raise


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
