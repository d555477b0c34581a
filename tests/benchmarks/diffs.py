"""What the detail pane computes for a large pair of values."""

from __future__ import annotations

import random
from collections.abc import Iterator

from evaltui.review.json_diff import diff_json
from evaltui.review.text_diff import diff_texts
from tests.benchmarks.harness import Line, median_of

TEXT = "the parcel left our depot this morning and will reach you before noon tomorrow"
WORDS = TEXT.split()


def lines() -> Iterator[Line]:
    old, new = _texts(100_000)
    floor = median_of(lambda: old == new or [a == b for a, b in zip(old, new, strict=False)])
    name = "compare by character"
    taken = median_of(lambda: diff_texts(old, new))
    yield Line("word diff of two 100 KB texts", taken, "s", 0.1, floor, name)
    one_line = median_of(lambda: diff_texts(old.replace("\n", " "), new.replace("\n", " ")))
    yield Line("the same on a single line", one_line, "s", 0.1, floor, name)
    before = {f"k{n}": {"score": n, "text": "alike"} for n in range(250)}
    after = before | {f"k{n}": {"score": n + 1, "text": "alike"} for n in range(0, 250, 5)}
    diff_json(before, after)
    taken = median_of(lambda: diff_json(before, after))
    yield Line("structural diff, 500 leaves, 50 changed", taken, "s", None)


def _texts(size: int) -> tuple[str, str]:
    chance = random.Random(1)
    words = [chance.choice(WORDS) for _ in range(size // 5)]
    changed = [chance.choice(WORDS) if chance.random() < 0.02 else word for word in words]
    return _wrapped(words)[:size], _wrapped(changed)[:size]


def _wrapped(words: list[str]) -> str:
    return "\n".join(" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
