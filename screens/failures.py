"""Workers that fail say so instead of leaving a screen as it was."""

from __future__ import annotations

from textual.message_pump import MessagePump
from textual.worker import Worker, WorkerState


class TellsFailures(MessagePump):
    """For screens and panes that start workers."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show an error that a worker did not expect; expected ones never get here."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            text = f"internal error while showing this: {type(error).__name__}: {error}"
            self.app.notify(text, severity="error", timeout=10, markup=False)
