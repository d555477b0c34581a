"""The kind of suite that Ulexite programs are: one section a benchmark, one case a dataset row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from evaltui.engine.benchmark import CompiledBenchmark
from evaltui.engine.carriers import Value
from evaltui.engine.compiler import compile_program
from evaltui.engine.effects import Dialect
from evaltui.engine.failures import RuntimeFailure
from evaltui.engine.run_effects import RunEffects
from evaltui.engine.tagging import content_hash, natural
from evaltui.errors import SuiteError
from evaltui.models import CaseResult, CaseSpec, Mode, Section
from evaltui.paths import real_path
from evaltui.suites.base import CaseContext, LoadOptions
from evaltui.suites.case_ids import case_ids, slices
from evaltui.suites.ulexite_providers import SuiteProviders, set_up_providers
from evaltui.suites.ulexite_results import result_of
from evaltui.suites.ulexite_source import (
    dataset_problem,
    literal_brace_keys,
    names_alike,
    read_program,
    suite_digest,
)
from evaltui.ulx.merge import MergedProgram

_SUFFIXES: Final = (".ulx", ".md", ".markdown")


class UlexiteSuite(Struct, frozen=True):
    """A loaded program; ``rows`` holds the row of every spec."""

    sections: tuple[Section, ...]
    specs: tuple[CaseSpec, ...]
    offers: tuple[str, ...]
    warnings: tuple[str, ...]
    providers: SuiteProviders
    benchmarks: tuple[CompiledBenchmark, ...]
    rows: tuple[Value, ...]

    @property
    def mode(self) -> Mode:
        """Where answers come from: canned when any provider is."""
        return self.providers.mode

    @property
    def instrument(self) -> str:
        """Providers, vendors and models asked for, for people."""
        return self.providers.instrument

    @property
    def asked(self) -> str:
        """Canonical JSON of the instruments asked for."""
        return self.providers.asked

    def execute(self, spec: CaseSpec, context: CaseContext) -> CaseResult:
        """Run the benchmark's statements over one row."""
        services = context.services
        started_at = services.clock.stamp()
        effects = RunEffects(
            services, self.providers.registry, context.section, spec.case_id, context.on_call
        )
        benchmark = self.benchmarks[self.specs[context.position].section]
        execution = benchmark.execute(self.rows[context.position], effects)
        return result_of(spec.index, execution, effects, self.mode, started_at)


class UlexiteKind:
    """Recognises, discovers and loads ``.ulx`` suites."""

    name: Final = "ulexite"

    def recognises(self, path: Path) -> bool:
        """Any Ulexite source; a Markdown one is refused when it is loaded."""
        return path.suffix.lower() in _SUFFIXES

    def discovers(self, path: Path) -> bool:
        """A ``.ulx`` file in which a line begins with ``benchmark``, or that cannot be read."""
        if path.suffix.lower() != ".ulx":
            return False
        try:
            text = path.read_bytes()
        except OSError:
            return True
        return any(line.lstrip().startswith(b"benchmark") for line in text.split(b"\n"))

    def load(self, path: Path, options: LoadOptions) -> UlexiteSuite:
        """Read the program, its datasets and its providers.

        Raises:
            SuiteError: the program or a dataset cannot be used, or there is no benchmark.
            ConfigurationError: providers cannot be set up.
        """
        program, merged, warnings = read_program(path, options.root, options.policy.providers)
        compiled = compile_program(merged, Dialect.RUN, root=options.root)
        wanted = _wanted(merged, path, options.benchmarks)
        benchmarks = tuple(compiled.benchmarks[name] for name in wanted)
        for name in wanted:
            warnings += literal_brace_keys(merged, name)
        warnings += names_alike(merged)
        digest = suite_digest(program)
        loaded: list[_Rows] = []
        for number, benchmark in enumerate(benchmarks):
            first = sum(len(rows.specs) for rows in loaded)
            loaded.append(_Rows.load(number, first, benchmark, merged, path, options))
        return UlexiteSuite(
            tuple(rows.section(path, digest) for rows in loaded),
            tuple(spec for rows in loaded for spec in rows.specs),
            tuple(merged.benchmarks),
            tuple(warnings),
            set_up_providers(merged, path, options),
            benchmarks,
            tuple(row for rows in loaded for row in rows.rows),
        )


class _Rows(Struct, frozen=True):
    """The dataset of one benchmark, with the ids its rows have there."""

    number: int
    benchmark: CompiledBenchmark
    rows: list[Value]
    specs: list[CaseSpec]

    @classmethod
    def load(
        cls,
        number: int,
        first: int,
        benchmark: CompiledBenchmark,
        merged: MergedProgram,
        path: Path,
        options: LoadOptions,
    ) -> _Rows:
        place = f"{path}: {benchmark.name}"
        try:
            rows = benchmark.load_rows()
        except RuntimeFailure as failure:
            raise dataset_problem(failure, merged, benchmark.dataset, path) from failure
        policy = options.policy
        ids = case_ids(rows, policy.project.case_id, benchmark.run_columns, place)
        specs = [
            CaseSpec(index, number, case_id, content_hash(row), natural(row), _slices(row, options))
            for index, (case_id, row) in enumerate(zip(ids, rows, strict=True), first)
        ]
        return cls(number, benchmark, rows, specs)

    def section(self, path: Path, digest: str) -> Section:
        """The section of this benchmark."""
        rows = json.dumps([spec.row_digest for spec in self.specs])
        return Section(
            self.number,
            UlexiteKind.name,
            path.name,
            str(real_path(path.parent)),
            self.benchmark.name,
            digest,
            hashlib.sha256(rows.encode()).hexdigest(),
            len(self.specs),
        )


def _slices(row: Value, options: LoadOptions) -> tuple[str, ...]:
    return slices(row, options.policy.slices) if options.policy.slices else ()


def _wanted(merged: MergedProgram, path: Path, asked: Sequence[str]) -> list[str]:
    """The benchmarks to run, in the order in which the program declares them."""
    if not merged.benchmarks:
        raise SuiteError(
            "there is no benchmark in this file",
            place=str(path),
            hint="declare one, or name a suite",
        )
    return [name for name in merged.benchmarks if not asked or name in asked]


KIND: Final = UlexiteKind()
