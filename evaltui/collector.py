"""The garbage collector, set for programs whose objects live long and hold hardly any cycles."""

from __future__ import annotations

import gc


def calm_collector() -> None:
    """Let the collector pass over everything that exists now, and rarely look at the rest."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
