"""Kills runs with SIGKILL at random moments, resumes them, compares with an undisturbed run.

``python tests/acceptance/kill_and_resume.py [KILLS] [SEED]`` prints a line for every kill, and
exits with 1 when anything differs. Every run is a process of its own over a copy of one project.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

CASES = 60
DELAY_MS = 25
BEFORE_THE_FIRST_CASE = 0.15
"""The share of kills while the run is still starting."""
UNSET = ("CI", "EVALTUI_NOW", "PYTHONUNBUFFERED")
OF_THE_RUN = ("latency_ms", "cache_hits", "tokens", "cost_usd")
"""Members of a report that tell when and from where answers came."""
SUITE = """
type Row = { id: text, text: text }
dataset Rows: list<Row> { from "rows.jsonl" }

judge Kind(reply: text) -> Verdict { rubric: "be kind" }

conversation Reply(text: text) -> text {
  user: \"\"\"{text}\"\"\"
  assistant -> reply
  if reply == "too dear" {
    escalate(manager, text: text, reason: "a person decides")
  } else {
    reply
  }
}

benchmark Replies {
  dataset: Rows
  run: Reply($.text) -> reply
  expect reply satisfies judge Kind(reply)
  snapshot reply as $.id
}
"""
POLICY = """
[run]
concurrency = 4

[providers.Desk]
vendor = "scripted"
chat = { model = "writer-1", params = { answers = "answers.jsonl" } }
judge = { model = "reader-1", params = { answers = "answers.jsonl" } }
"""


class Ended(NamedTuple):
    """What a run came to; of reports only what another run must say too."""

    code: int
    report: Any
    text: list[str]


def main(kills: int, seed: int) -> int:
    with TemporaryDirectory(prefix="evaltui-kills-") as name:
        base = Path(name, "base")
        make_project(base)
        wanted = run(shutil.copytree(base, Path(name, "plain")))
        outcomes = sorted({case["outcome"] for case in wanted.report["cases"]})
        print(f"undisturbed: exit {wanted.code}, outcomes {', '.join(outcomes)}")
        chance, differ, midway = random.Random(seed), 0, 0
        for number in range(1, kills + 1):
            folder = shutil.copytree(base, Path(name, f"killed-{number}"))
            stored = kill(folder, chance)
            midway += 0 < stored < CASES
            got = run(folder, "--resume")
            differ += got != wanted
            same = "the same" if got == wanted else f"DIFFERENT: {difference(wanted, got)}"
            print(f"kill {number}: {stored} of {CASES} cases stored; resumed: {same}", flush=True)
    print(f"{kills} kills, {midway} midway; {kills - differ} came to the same, {differ} did not")
    return 1 if differ or (kills > 2 and midway < kills // 2) else 0


def make_project(folder: Path) -> None:
    """Cases of every outcome; half of the baselines are signed, some are outdated."""
    folder.mkdir()
    (folder / "s.ulx").write_text(SUITE)
    (folder / "evaltui.toml").write_text(POLICY)
    rows = [{"id": f"c{n:02}", "text": f"question {n}"} for n in range(CASES)]
    write_lines(folder / "rows.jsonl", rows)
    write_lines(folder / "answers.jsonl", answers("earlier"))
    evaltui(folder, "run", "s.ulx", "--ci", "--store", "../setup.db")
    names = [row["id"] for row in rows[: CASES // 2]]
    evaltui(folder, "accept", *names, "--reason", "first", "--store", "../setup.db")
    write_lines(folder / "answers.jsonl", answers("now"))


def answers(word: str) -> list[dict[str, Any]]:
    special: list[dict[str, Any]] = [
        {"case": "c03", "capability": "chat", "timeout": True},
        {"case": "c11", "capability": "chat", "status": 500},
        {"case": "c17", "capability": "chat", "text": "too dear", "delay_ms": DELAY_MS},
        {"case": "c23", "capability": "judge", "verdict": "FAIL: rude"},
        {"case": "c29", "capability": "judge", "sequence": ["FAIL: rude", "PASS"]},
        {"case": "c05", "capability": "chat", "text": word, "delay_ms": DELAY_MS},
    ]
    return [
        *special,
        {"capability": "chat", "text": "gladly", "delay_ms": DELAY_MS},
        {"capability": "judge", "verdict": "PASS", "delay_ms": 2},
    ]


def write_lines(path: Path, items: list[Any]) -> None:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")


def environment() -> dict[str, str]:
    known = {name: text for name, text in os.environ.items() if name not in UNSET}
    return known | {"EVALTUI_REVIEWER": "ana"}


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "evaltui", *words],
        cwd=folder, env=environment(), text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def evaltui(folder: Path, *words: str) -> tuple[int, str]:
    process = start(folder, *words)
    out, err = process.communicate()
    assert "internal error" not in err, err
    return process.returncode, out


def run(folder: Path, *words: str) -> Ended:
    reports = ("--report", "json:r.json", "--report", "text:r.txt")
    code, _ = evaltui(folder, "run", "s.ulx", "--ci", *reports, *words)
    report = json.loads((folder / "r.json").read_text("utf-8"))
    del report["run"]
    for part in (report["totals"], *report["cases"]):
        for member in OF_THE_RUN:
            part.pop(member, None)
    text = (folder / "r.txt").read_text("utf-8").splitlines()
    return Ended(code, report, [line for line in text if not line.startswith(("run ", "calls "))])


def kill(folder: Path, chance: random.Random) -> int:
    """Kill a run at a random moment; answers how many cases were stored by then."""
    process = start(folder, "run", "s.ulx", "--ci")
    assert process.stdout is not None
    if chance.random() < BEFORE_THE_FIRST_CASE:
        pause(chance.random() * 0.4)
    else:
        for _ in range(chance.randrange(1, CASES)):
            process.stdout.readline()
        pause(chance.random() * 2 * DELAY_MS / 1000)
    process.kill()
    process.communicate()
    if not (folder / ".evaltui" / "trace.db").exists():
        return 0
    _, out = evaltui(folder, "runs", "list", "--json")
    counts = [entry["counts"] for entry in json.loads(out)] if out else []
    return sum(n for name, n in counts[0].items() if name != "skipped") if counts else 0


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def difference(wanted: Ended, got: Ended) -> str:
    if wanted.code != got.code:
        return f"exit {got.code}"
    for member, value in wanted.report.items():
        if member != "cases" and got.report.get(member) != value:
            return f"{member}: {got.report.get(member)} instead of {value}"
    for old, new in zip(wanted.report["cases"], got.report["cases"], strict=False):
        if old != new:
            return (
                f"case {new['case_id']}: {[(k, v, new[k]) for k, v in old.items() if new[k] != v]}"
            )
    return "the text"


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(arguments + [20, 1][len(arguments) :])))
