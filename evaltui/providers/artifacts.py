"""Files that calls take along, and files that calls bring back (runtime specification 5.3)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaltui.engine.carriers import Value
from evaltui.paths import lies_below
from evaltui.providers.failures import Kind, failed
from evaltui.providers.vendors.wire import Artifact

_ARGUMENTS: Final = ("_", "file", "path", "image", "audio", "document")
_IMAGES: Final = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
}
_DATA: Final = re.compile(r"data:([^;,]*)((?:;[^;,]*)*),(.*)", re.DOTALL)
_LONGEST: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ArtifactFolders:
    """Where files are read and kept.

    References are relative to ``folder``, then to ``root``; with a ``root``, nothing outside it is
    read. ``kept`` takes generated files, and is written as the calls' answers name it.
    """

    folder: Path = Path()
    root: Path | None = None
    kept: Path = Path(".ulexite/artifacts")
    named: str = ".ulexite/artifacts"

    def find(self, capability: str, arguments: Mapping[str, Value]) -> Artifact:
        """The file that a vision or transcribe call names.

        Raises:
            ProviderFailure: it names none, or one that cannot be read or sent.
        """
        reference = next(
            (found for name in _ARGUMENTS if isinstance(found := arguments.get(name), str)), None
        )
        if reference is None:
            raise failed(
                Kind.FILE,
                f"{capability} call has no image argument "
                f"(looked for {', '.join(f'`{name}`' for name in _ARGUMENTS)})",
            )
        if reference.startswith("data:"):
            return _from_data(reference)
        if reference.startswith(("http://", "https://")):
            return Artifact(reference, _by_name(reference.partition("?")[0]) or "")
        return self._from_disk(reference, capability)

    def keep(self, content: bytes, suffix: str) -> str:
        """Store a generated file under the hash of its content; answers its name.

        Raises:
            ProviderFailure: it cannot be written.
        """
        digest = hashlib.sha256(content).hexdigest()[:16]
        place = f"{digest[:2]}/{digest[2:]}{suffix}"
        path = self.kept / place
        try:
            if not path.exists():
                _write(path, content)
        except OSError as error:
            raise failed(Kind.FILE, f"{path}: {error.strerror}") from error
        return f"{self.named}/{place}"

    def _from_disk(self, reference: str, capability: str) -> Artifact:
        media_type = _by_name(reference)
        if media_type is None and capability != "transcribe":
            raise failed(Kind.FILE, f"{reference}: not a kind of image that can be sent")
        path = self._path(reference)
        try:
            if path.stat().st_size > _LONGEST:
                raise failed(Kind.FILE, f"{reference}: larger than {_LONGEST >> 20} MB")
            content = path.read_bytes()
        except OSError as error:
            raise failed(Kind.FILE, f"{reference}: {error.strerror}") from error
        return Artifact(reference, media_type or "application/octet-stream", content, local=True)

    def _path(self, reference: str) -> Path:
        path = self.folder / reference
        if self.root is None:
            return path
        if not path.exists():
            path = self.root / reference
        if not lies_below(path, self.root):
            raise failed(Kind.FILE, f"{reference}: lies outside the project")
        return path


def _by_name(reference: str) -> str | None:
    return _IMAGES.get(os.path.splitext(reference)[1].lower())  # noqa: PTH122 - may be an address


def _from_data(reference: str) -> Artifact:
    found = _DATA.fullmatch(reference)
    if found is None or ";base64" not in found[2]:
        raise failed(Kind.FILE, "a data: address must be base64")
    try:
        content = base64.b64decode(found[3], validate=True)
    except binascii.Error:
        raise failed(Kind.FILE, "a data: address that is not base64") from None
    return Artifact(reference, found[1], content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)
