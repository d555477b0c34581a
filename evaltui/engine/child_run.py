"""The screen's end of a runner process: start it, read its messages, ask it for more."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from typing import Final

from evaltui.engine.pipe import Command, Job, Message, Rerun, Stop, line, read_message
from evaltui.engine.requests import RunRequest

_LIMIT: Final = 256
"""Messages that may wait to be drained; then the runner has to wait."""
_STDERR_LINES: Final = 20
END_S: Final = 2.0


class ChildRun:
    """A runner process. Every method is for the thread that draws; none of them waits long."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._messages: deque[Message] = deque()
        self._room = threading.Semaphore(_LIMIT)
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        self._readers = [
            threading.Thread(target=self._read_messages, name="runner messages", daemon=True),
            threading.Thread(target=self._read_errors, name="runner errors", daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @classmethod
    def start(cls, request: RunRequest) -> ChildRun:
        """Start the process and hand it its job."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "evaltui.engine.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUTF8": "1"},
            start_new_session=True,
        )
        child = cls(process)
        child._send(Job(request))
        return child

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def drain(self) -> list[Message]:
        """All messages that have arrived since the last time."""
        messages = []
        while self._messages:
            messages.append(self._messages.popleft())
            self._room.release()
        return messages

    def rerun(self, indices: Sequence[int]) -> None:
        """Run cases again: answered ones go on in their run, others make a linked run."""
        self._send(Rerun(tuple(indices)))

    def stop(self) -> None:
        """Ask to start no more cases."""
        self._send(Stop())

    def poll(self) -> int | None:
        """The exit code of the process, None while it lives."""
        return self._process.poll()

    @property
    def last_words(self) -> str:
        """The end of what the process wrote to its standard error."""
        return "\n".join(self._errors)

    def close(self) -> int:
        """End the process, by force after two seconds; answers its exit code."""
        process = self._process
        self._room.release(_LIMIT)
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in self._readers:
            reader.join(END_S)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        return process.returncode

    def _send(self, message: Job | Command) -> None:
        # A runner that has gone is noticed by poll().
        with contextlib.suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.write(line(message))
                self._process.stdin.flush()

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            self._room.acquire()
            self._messages.append(read_message(text))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for text in self._process.stderr:
            self._errors.append(text.decode("utf-8", "replace").rstrip("\n"))
