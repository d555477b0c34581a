"""What a kind of suite offers: find itself, load cases, run one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from evaltui.engine.services import RunServices
from evaltui.models import CallRecord, CaseResult, CaseSpec, Mode, Section
from evaltui.project import Policy
from evaltui.providers.network import Network


class LoadOptions(Struct, frozen=True):
    """What the command line and the project say about loading.

    ``benchmarks`` are the ones asked for (empty: all); ``providers`` keeps only those named;
    ``replay`` says that answers come from a stored run, ``dry_run`` that they are made up: then
    keys are not needed. ``network`` is shared by all live providers of the run.
    """

    root: Path
    policy: Policy
    benchmarks: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    mock: bool = False
    replay: bool = False
    dry_run: bool = False
    network: Network = field(default_factory=Network)


class CaseContext(Struct, frozen=True):
    """What one case may use while it runs; ``position`` is its place in its suite."""

    services: RunServices
    section: Section
    position: int
    on_call: Callable[[CallRecord], None] | None = None


class LoadedSuite(Protocol):
    """A suite whose cases are known; lives for one run."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its benchmarks, numbered from 0 within the suite."""
        ...

    @property
    def specs(self) -> tuple[CaseSpec, ...]:
        """Its cases in order, ``section`` as numbered here and ``index`` from 0."""
        ...

    @property
    def offers(self) -> tuple[str, ...]:
        """Names of all benchmarks of the file, asked for or not."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]: ...

    @property
    def mode(self) -> Mode:
        """Where its answers will come from."""
        ...

    @property
    def instrument(self) -> str:
        """Providers, vendors and models asked for, for people."""
        ...

    @property
    def asked(self) -> str:
        """Canonical JSON of the instruments asked for."""
        ...

    def execute(self, spec: CaseSpec, context: CaseContext) -> CaseResult:
        """Run one case inside a greenlet. Every trouble of the case is in the result.

        Raises:
            RunStopped: the run may not send another call.
        """
        ...


class SuiteKind(Protocol):
    """One kind of suite file."""

    @property
    def name(self) -> str: ...

    def recognises(self, path: Path) -> bool:
        """Whether a file named on the command line is of this kind."""
        ...

    def discovers(self, path: Path) -> bool:
        """Whether a file found in a folder is a suite of this kind."""
        ...

    def load(self, path: Path, options: LoadOptions) -> LoadedSuite:
        """Read the suite and its cases.

        Raises:
            SuiteError: it cannot be read, parsed, checked or loaded.
            ConfigurationError: its providers cannot be set up.
        """
        ...
