"""The circuit breaker: stops sending to a server that keeps failing (runtime spec 5.4)."""

from __future__ import annotations

from evaltui.providers.rules import Rules, Timing


class Breaker:
    """Opens after consecutive unhealthy sends; then one trial at a time decides.

    ``trials`` counts the trials that failed in a row.
    """

    def __init__(self, rules: Rules, timing: Timing) -> None:
        self._rules = rules
        self._now = timing.now
        self._failures = 0
        self._opened: float | None = None
        self._trying = False
        self.trials = 0

    def closed_in(self) -> float:
        """Seconds until the next request may go; 0 when it may go now.

        While a trial is under way nobody else may go; that is told as a short wait.
        """
        if self._opened is None:
            return 0.0
        left = self._opened + self._rules.breaker_s - self._now()
        if left > 0:
            return left
        return _TRIAL_S if self._trying else 0.0

    def sending(self) -> None:
        """A request goes out."""
        self._trying = self._opened is not None

    def given_up(self) -> None:
        """A request was abandoned before it said anything about the server."""
        self._trying = False

    def healthy(self) -> None:
        """The server answered."""
        self._failures = self.trials = 0
        self._opened = None
        self._trying = False

    def unhealthy(self) -> None:
        """The server failed or could not be reached."""
        if self._opened is not None:
            if not self._trying:
                return
            self.trials += 1
        self._failures += 1
        self._trying = False
        if self._failures >= self._rules.breaker_failures:
            self._opened = self._now()


_TRIAL_S = 0.1
