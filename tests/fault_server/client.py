"""The tests' end of the fault server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).resolve().parents[2]


class FaultServer:
    """A running server; it ends with its context, or with this process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fault_server.server"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self._open = build_opener(ProxyHandler({})).open
        self._buckets = 0

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def bucket(self) -> str:
        """A name that no other test uses."""
        self._buckets += 1
        return f"b{self._buckets}"

    def url(self, bucket: str, script: str) -> str:
        """The base URL under which requests take the steps of ``script``."""
        return f"http://127.0.0.1:{self.port}/{bucket}/{quote(script, safe=':;,*=%')}"

    def seen(self, bucket: str, until: str = "") -> dict[str, Any]:
        """What the server saw: the members of ``server.Seen``; see there for ``until``."""
        with self._open(f"http://127.0.0.1:{self.port}/-/{bucket}/{until}") as reply:
            found: dict[str, Any] = json.load(reply)
        return found
