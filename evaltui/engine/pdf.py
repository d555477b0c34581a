"""Text of PDF documents, for ``pdf.extract_text`` (runtime specification 2.11)."""

from __future__ import annotations

import base64
import binascii
from io import BytesIO
from pathlib import Path

from evaltui.engine.failures import io_error, not_implemented, type_error
from evaltui.ulx.reading import NUL_IN_NAME, os_error_text


def extract_text(document: str) -> str:
    """The text of a PDF named by a path below the working directory or a ``data:`` URI.

    Raises:
        RuntimeFailure: remote, unreadable, or not a PDF.
    """
    if document.startswith(("http://", "https://")):
        raise not_implemented(
            f"pdf.extract_text: fetching a remote PDF (`{document}`) isn't supported — "
            "download it first and pass a local path"
        )
    content = _inline(document) if document.startswith("data:") else _read(document)
    return _text(content, document)


def _inline(document: str) -> bytes:
    head, comma, body = document.partition(",")
    if not comma or not head.endswith(";base64"):
        raise type_error(f"pdf.extract_text: `{document}` isn't a `;base64,`-encoded data: URI")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise type_error(f"pdf.extract_text: bad base64: {error}") from error


def _read(document: str) -> bytes:
    try:
        return Path(document).read_bytes()
    except OSError as error:
        raise io_error(f"could not read PDF file `{document}`: {os_error_text(error)}") from error
    except ValueError as error:
        raise io_error(f"could not read PDF file `{document}`: {NUL_IN_NAME}") from error


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
