"""Timings of the trace store: ``python tests/benchmarks/bench_store.py [CASES]``."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaltui.clock import system_clock
from evaltui.models import (
    CallRecord,
    CaseResult,
    CaseSpec,
    CaseSummary,
    CheckJudgement,
    CheckKind,
    CheckResult,
    CheckState,
    FailureClass,
    Gate,
    Judgement,
    Mode,
    Outcome,
    RunInfo,
    Section,
)
from evaltui.store import CachedAnswer, Store, open_store

READ = "--read"


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print the wall and processor milliseconds of the block."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what:42} {wall * 1e3:9.1f} ms wall {cpu * 1e3:9.1f} ms cpu")


def resident() -> float:
    """Megabytes of this process in memory now, where the system tells; else 0."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def make_run(run_id: str, cases: int) -> tuple[RunInfo, list[CaseSpec]]:
    """A run of one section with ``cases`` rows of about 60 characters."""
    section = Section(0, "ulexite", "bench.ulx", "/bench", "B", "s" * 64, "d" * 64, cases)
    run = RunInfo(
        run_id, "", "2026-01-01T00:00:00Z", Mode.MOCK, "mock", "p" * 64, (section,), (), "/bench"
    )
    specs = [
        CaseSpec(
            i, 0, f"case-{i}", f"{i * 7919:064x}", f'{{"id": {i}, "text": "hello"}}', ("l=fr",)
        )
        for i in range(cases)
    ]
    return run, specs


def finished(spec: CaseSpec) -> tuple[CaseSpec, CaseResult, Judgement, CaseSummary]:
    """One call, one assertion, one snapshot; every seventh case fails."""
    failed = spec.index % 7 == 0
    outcome = Outcome.FAIL if failed else Outcome.PASS
    semantic = FailureClass.SEMANTIC if failed else None
    output = '{"Text":"an answer of some words"}'
    call = CallRecord(
        1, "chat", "mock", "mock", None, None, "k" * 64, False, (("user", "question " * 8),),
        output, None, None, None, 0.1, 0.2,
    )  # fmt: skip
    checks = (
        CheckResult("assert#1", CheckKind.ASSERT, CheckState.FAIL if failed else CheckState.PASS),
        CheckResult("snapshot:k", CheckKind.SNAPSHOT, CheckState.COMPARED, value=output, key="k"),
    )
    result = CaseResult(spec.index, checks, output, calls=(call,), mode=Mode.MOCK)
    judged = CheckJudgement("assert#1", outcome, "", Gate.FAIL if failed else None)
    judgement = Judgement(outcome, (judged, CheckJudgement("snapshot:k", Outcome.PASS, "")))
    summary = CaseSummary(
        spec.index, 0, spec.case_id, outcome, spec.slices, semantic, red=failed, calls=1, tokens=30
    )
    return spec, result, judgement, summary


def write(store: Store, cases: int) -> None:
    """Fill the store with one run."""
    run, specs = make_run("first", cases)
    with timed(f"begin_run, {cases} cases"):
        store.begin_run(run, specs)
    results = [finished(spec) for spec in specs]
    gc.freeze()  # a runner does not keep its results either
    with timed("put, flush, close"), store.writer(run.id) as writer:
        for result in results:
            writer.put(*result)
    answer = CachedAnswer('{"Text":"hello"}', "mock", None, None, "2026-01-01T00:00:00Z", 0.2)
    with timed("cache the answers"), store.writer(run.id) as writer:
        for spec in specs:
            writer.cache(spec.row_digest, answer)


def read(path: Path) -> None:
    """What a screen and a resumed run ask for, in a process that did not write."""
    with timed("open"):
        store = open_store(path, system_clock(), create=False)
    before = resident()
    with timed("summaries"):
        summaries = store.summaries("first")
    print(f"{'memory of the process':42} {before:9.1f} MB, with summaries {resident():.1f} MB")
    with timed("counts"):
        store.counts("first")
    with timed("durable"):
        store.durable("first")
    with timed("1,000 records"):
        for index in range(0, len(summaries), max(1, len(summaries) // 1000)):
            store.record("first", index)
    with timed("10,000 cached answers"):
        for index in range(10_000):
            store.cached(f"{index * 7919:064x}")
    run, specs = make_run("second", len(summaries))
    store.begin_run(run, specs)
    with timed("latest outputs of the earlier run"):
        store.latest_outputs("bench.ulx", "B", before="second")
    changes = [(s.index, Judgement(Outcome.PASS), s) for s in summaries[:1000]]
    with timed("update 1,000 judgements"):
        store.update_judgements("first", changes)
    store.close()


def main(arguments: list[str]) -> None:
    if arguments[:1] == [READ]:
        read(Path(arguments[1]))
        return
    cases = int(arguments[0]) if arguments else 20_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".evaltui" / "trace.db"
        with timed("create"):
            store = open_store(path, system_clock())
        with store:
            write(store, cases)
        print(f"{'size':42} {path.stat().st_size / 1e6:9.1f} MB", flush=True)
        subprocess.run([sys.executable, __file__, READ, str(path)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
