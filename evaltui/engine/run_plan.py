"""A run that is ready to start: its cases, who runs them, and where results go."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from evaltui.engine.services import RunServices
from evaltui.models import CaseSpec, RunInfo, Section
from evaltui.project import Policy
from evaltui.review.context import ReviewContext
from evaltui.store.store import Store
from evaltui.store.writer import Writer
from evaltui.suites.base import LoadedSuite


class Selection(Struct, frozen=True):
    """Cases of one or several suites, numbered over the whole run.

    ``origins`` gives for each case its suite and its position there.
    """

    sections: tuple[Section, ...]
    specs: tuple[CaseSpec, ...]
    origins: tuple[tuple[LoadedSuite, int], ...]


class RunPlan(Struct):
    """Everything a ``Runner`` needs. ``todo`` are the cases to run now, in order."""

    run: RunInfo
    selection: Selection
    policy: Policy
    todo: tuple[int, ...]
    services: RunServices
    context: ReviewContext
    store: Store
    writer: Writer
    concurrency: int
    problems: list[str] = field(default_factory=list)
    kept: tuple[int, ...] = ()
    """Cases of a resumed run whose stored results count; they are judged anew."""
    _previous: dict[int, dict[str, tuple[str, str]]] = field(default_factory=dict)

    @property
    def specs(self) -> tuple[CaseSpec, ...]:
        """All cases of the run."""
        return self.selection.specs

    def origin(self, index: int) -> tuple[LoadedSuite, int]:
        """The suite of a case and its position there."""
        return self.selection.origins[index]

    def previous(self, spec: CaseSpec) -> tuple[str, str] | None:
        """Run label and tagged JSON of the latest earlier output of a case."""
        outputs = self._previous.get(spec.section)
        if outputs is None:
            section = self.run.sections[spec.section]
            outputs = self.store.latest_outputs(
                section.suite, section.benchmark, before=self.run.id, folder=section.folder
            )
            self._previous[spec.section] = outputs
        return outputs.get(spec.case_id)

    def finish(self, state: str) -> None:
        """Commit what is left and record how the run ended.

        Raises:
            StoreError: it could not be.
        """
        self.writer.close()
        stamp = self.services.clock.stamp()
        problems = tuple(dict.fromkeys(self.problems))
        self.store.finish_run(self.run.id, state, stamp, problems)
        self.run = replace(self.run, state=state, finished_at=stamp, problems=problems)
