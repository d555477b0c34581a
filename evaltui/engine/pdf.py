"""Text of PDF documents, for ``pdf.extract_text`` (runtime specification 2.11)."""

from __future__ import annotations

import base64
import binascii
import os
from io import BytesIO
from pathlib import Path

from msgspec import Struct

from evaltui.engine.failures import io_error, not_implemented, type_error
from evaltui.paths import lies_below
from evaltui.ulx.reading import ReadFailure, read_bytes

_LARGEST = 100_000_000


class Documents(Struct, frozen=True):
    """Where documents are read: relative to ``folder``, else to ``root``, and then below it only.

    Without a ``root`` they are relative to the working directory.
    """

    folder: Path = Path()
    root: Path | None = None

    def read(self, document: str) -> bytes:
        """The content of a file.

        Raises:
            RuntimeFailure: it cannot be read, or lies outside the project.
        """
        path = self.folder / document
        if self.root is not None and not os.path.exists(path):  # noqa: PTH110 - takes any name
            path = self.root / document
        if self.root is not None and not lies_below(path, self.root):
            raise io_error(f"could not read PDF file `{document}`: it is outside the project")
        try:
            return read_bytes(path, _LARGEST)
        except ReadFailure as failure:
            raise io_error(f"could not read PDF file `{document}`: {failure}") from failure


def extract_text(document: str, documents: Documents) -> str:
    """The text of a PDF named by a path or a ``data:`` URI.

    Raises:
        RuntimeFailure: remote, unreadable, or not a PDF.
    """
    if document.startswith(("http://", "https://")):
        raise not_implemented(
            f"pdf.extract_text: fetching a remote PDF (`{document}`) isn't supported — "
            "download it first and pass a local path"
        )
    inline = document.startswith("data:")
    return _text(_inline(document) if inline else documents.read(document), document)


def _inline(document: str) -> bytes:
    head, comma, body = document.partition(",")
    if not comma or not head.endswith(";base64"):
        raise type_error(f"pdf.extract_text: `{document}` isn't a `;base64,`-encoded data: URI")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise type_error(f"pdf.extract_text: bad base64: {error}") from error


def _text(content: bytes, document: str) -> str:
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(content)).pages]
    except Exception as error:  # the library raises whatever a broken file makes it stumble over
        raise type_error(
            f"pdf.extract_text: could not extract text from `{document}`: {error}"
        ) from error
    return "\n".join(pages)
