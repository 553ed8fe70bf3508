"""What an operator calls an entry by: a few letters of a hash over its exact bytes (spec 4.2, 6.3)."""

from __future__ import annotations

import base64
import hashlib

LENGTH = 6
"""Letters and digits: enough for the entries of three small files, and a phone can type them."""


def entry_id(file: str, text: str) -> str:
    """The id of one entry of a file; another text, or the same text in another file, has another one."""
    digest = hashlib.sha256(f"{file}\0{text}".encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest)[:LENGTH].decode("ascii").lower()
