"""Answers from a stored run instead of a provider: nothing is ever sent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from evaltui.engine.finite import recalled
from evaltui.models import CallRecord, FailureClass
from evaltui.providers.base import ProviderFailure, Reply
from evaltui.store.records import CachedAnswer

_Place = tuple[str, str]
"""Case label and answer key."""


class Recording:
    """The calls of one stored run, found again by case and answer key.

    A case gets its own answers in their order, the last one again when it asks more often, and the
    first one of another case when it has none of its own.
    """

    def __init__(
        self,
        label: str,
        calls: Iterable[tuple[str, CallRecord]],
        imported: Callable[[str], CachedAnswer | None] | None = None,
    ) -> None:
        """``imported`` finds the answers of an imported run, whose keys are those of ``ulx``."""
        self.label: Final = label
        self._imported = imported
        self._by_case: dict[_Place, list[CallRecord]] = defaultdict(list)
        self._by_key: dict[str, CallRecord] = {}
        for case, call in calls:
            self._by_case[case, call.cache_key].append(call)
            known = self._by_key.get(call.cache_key)
            if known is None or known.output is None:
                self._by_key[call.cache_key] = call

    @property
    def is_imported(self) -> bool:
        """Whether the run was imported from ``ulx``, and answers have its keys."""
        return self._imported is not None

    def answer(self, case: str, key: str, described: str, turns: Counter[object]) -> Reply:
        """What the stored run answered; ``turns`` counts within one execution of the case.

        Raises:
            ProviderFailure: it failed then, or the run holds no such call.
        """
        call = self._next(case, key, turns)
        kept = self._imported(key) if self._imported and (not call or not call.output) else None
        if kept is not None:
            return Reply(recalled(kept.value))
        if call is None:
            raise ProviderFailure(
                FailureClass.FIXTURE,
                "replay_miss",
                f"run {self.label} holds no answer for {described}",
                "the case, a prompt or the instrument changed since: run it live",
            )
        if call.output is None:
            raise ProviderFailure(
                call.failure_class or FailureClass.INFRASTRUCTURE,
                call.kind or "replayed",
                call.error or "the call failed",
                f"it failed in run {self.label} too: run it live",
            )
        return _reply(call)

    def _next(self, case: str, key: str, turns: Counter[object]) -> CallRecord | None:
        own = self._by_case.get((case, key))
        if not own:
            return self._by_key.get(key)
        turns[key] += 1
        return own[min(turns[key], len(own)) - 1]


def _reply(call: CallRecord) -> Reply:
    return Reply(
        recalled(call.output or ""),
        model=call.answered_by,
        latency_ms=call.latency_ms,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        cost=call.cost,
    )
