"""All decisions of one suite folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from evaltui.errors import DecisionError
from evaltui.models import Decision
from evaltui.review import decision_files


class LogProblem(Struct, frozen=True):
    """Something about a decision file that keeps it from counting, or that a person should see."""

    path: Path
    message: str


class DecisionLog(Struct, frozen=True):
    """The decisions of one suite folder by id; files that were edited are left out and listed."""

    folder: Path
    decisions: Mapping[str, Decision]
    files: Mapping[str, Path]
    problems: tuple[LogProblem, ...] = ()

    @classmethod
    def load(cls, folder: Path) -> DecisionLog:
        """Read ``folder/decisions/*.json``; no such folder is an empty log.

        Raises:
            DecisionError: a file that is not a decision of a known schema.
        """
        return cls.of(folder, decision_paths(folder))

    @classmethod
    def of(cls, folder: Path, paths: Iterable[Path]) -> DecisionLog:
        """The log that these files make; their order does not matter."""
        decisions: dict[str, Decision] = {}
        files: dict[str, Path] = {}
        problems: list[LogProblem] = []
        for path in sorted(paths):
            decision, genuine = decision_files.read(path)
            if not genuine:
                problems.append(LogProblem(path, "was edited after it was signed: it counts not"))
            elif decision.id in decisions:
                problems.append(LogProblem(path, f"repeats {files[decision.id].name}"))
            else:
                decisions[decision.id] = decision
                files[decision.id] = path
        return cls(folder, decisions, files, tuple(problems))

    def with_decisions(self, added: Iterable[Decision]) -> DecisionLog:
        """The log after these decisions were written to its folder."""
        more = {decision.id: decision for decision in added}
        paths = {id: decision_files.path_of(self.folder, one) for id, one in more.items()}
        return DecisionLog(
            self.folder, {**self.decisions, **more}, {**self.files, **paths}, self.problems
        )

    def find(self, reference: str) -> Decision:
        """The decision with this id or unambiguous beginning of one.

        Raises:
            DecisionError: none, or several.
        """
        found = [one for id, one in self.decisions.items() if id.startswith(reference)]
        if len(found) == 1 and reference:
            return found[0]
        what = "several decisions begin" if found else "no decision begins"
        raise DecisionError(f"{what} with {reference!r}", hint="see evaltui decisions list")


def decision_paths(folder: Path) -> list[Path]:
    """The decision files of a suite folder.

    Raises:
        DecisionError: they cannot be listed.
    """
    home = folder / decision_files.FOLDER
    try:
        return [
            path
            for path in home.iterdir()
            if path.suffix == ".json" and not path.name.startswith(".")
        ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DecisionError(
            f"the decisions cannot be listed: {error.strerror}", place=str(home)
        ) from None
