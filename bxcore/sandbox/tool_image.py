"""The image in which tools run when the owner names no other: one static busybox, little else (spec 2.5).

The same busybox gives the same archive, byte for byte, so that an image that is there already is known by it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tarfile import TarInfo

DEFAULT_IMAGE = "localhost/boxmaker-tools:latest"
CONTENT_LABEL = "boxmaker.content"
"""Holds ``fingerprint`` of the archive that the image was made of."""

_FOLDERS = {"bin": 0o755, "etc": 0o755, "tmp": 0o1777, "session": 0o755, "usr": 0o755}
_LINKS = {"sbin": "bin", "usr/bin": "../bin", "usr/sbin": "../bin"}
_FILES = {
    "etc/passwd": b"root:x:0:0:root:/:/bin/sh\ntool:x:1000:1000:tool:/tmp:/bin/sh\n",
    "etc/group": b"root:x:0:\ntool:x:1000:\n",
    "etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
}
_ELF = b"\x7fELF"
_NEEDS_LOADER = 3
"""The type of the segment that names a program's loader; a static program has none."""


def is_static(program: bytes) -> bool:
    """Whether ``program`` is a 64- or 32-bit little-endian ELF file that runs without a loader."""
    if program[:4] != _ELF or program[5:6] != b"\x01":
        return False
    wide = program[4:5] == b"\x02"
    table = _number(program, 32, 8) if wide else _number(program, 28, 4)
    size, count = (_number(program, at, 2) for at in ((54, 56) if wide else (42, 44)))
    kinds = [_number(program, table + n * size, 4) for n in range(count)]
    return bool(kinds) and _NEEDS_LOADER not in kinds


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def archive(busybox: bytes, applets: Iterable[str]) -> bytes:
    """Pack a root folder as a tar file: ``busybox``, a link for each of its ``applets``, and an open /tmp."""
    # Of use only to who makes an image; a running box does without it.
    from tarfile import DIRTYPE, REGTYPE, SYMTYPE, USTAR_FORMAT, TarFile

    packed = io.BytesIO()
    with TarFile.open(fileobj=packed, mode="w", format=USTAR_FORMAT) as tar:
        for name, mode in _FOLDERS.items():
            tar.addfile(_entry(name, DIRTYPE, mode))
        for name, target in _LINKS.items():
            tar.addfile(_entry(name, SYMTYPE, 0o777, target))
        for name, data in {**_FILES, "bin/busybox": busybox}.items():
            entry = _entry(name, REGTYPE, 0o755 if name.startswith("bin/") else 0o644)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
        for applet in sorted(set(applets) - {"busybox"}):
            tar.addfile(_entry(f"bin/{applet}", SYMTYPE, 0o777, "busybox"))
    return packed.getvalue()


def _entry(name: str, kind: bytes, mode: int, target: str = "") -> TarInfo:
    from tarfile import TarInfo

    entry = TarInfo(name)
    entry.type, entry.mode, entry.linkname = kind, mode, target
    return entry


def fingerprint(packed: bytes) -> str:
    """The sha256 of an archive, in hex."""
    return hashlib.sha256(packed).hexdigest()
