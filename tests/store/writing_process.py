"""A process that stores cases until it is killed: ``PATH RUN_ID COUNT``.

Prints a line per flush with how many cases are committed by then; COUNT 0 means no end.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from evaltui.clock import system_clock
from evaltui.models import (
    CaseResult,
    CaseSpec,
    CaseSummary,
    Judgement,
    Mode,
    Outcome,
    RunInfo,
)
from evaltui.store import open_store

FLUSH_EVERY = 40


def main(path: Path, run_id: str, end: int) -> None:
    run = RunInfo(run_id, "", "2026-01-31T12:00:00Z", Mode.MOCK, "mock", "p", (), (), "/p")
    with open_store(path, system_clock({})) as store:
        run = store.begin_run(run, [])
        print(run.label, flush=True)
        with store.writer(run.id) as writer:
            for index in range(end) if end else count():
                spec = CaseSpec(index, 0, f"case-{index}", f"row-{index}", "{}")
                result = CaseResult(index, output="x" * 500)
                summary = CaseSummary(index, 0, spec.case_id, Outcome.PASS)
                writer.put(spec, result, Judgement(Outcome.PASS), summary)
                if index % FLUSH_EVERY == FLUSH_EVERY - 1:
                    writer.flush()
                    print(index + 1, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
