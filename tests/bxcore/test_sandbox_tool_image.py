from __future__ import annotations

import io
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from bxcore.sandbox.tool_image import archive, fingerprint, is_static


def entries(packed: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {entry.name: entry for entry in tar.getmembers()}


def test_the_archive_has_a_shell_and_a_temporary_folder_for_everybody() -> None:
    found = entries(archive(b"program", ["sh", "cat"]))
    assert found["bin/sh"].linkname == "busybox"
    assert found["bin/busybox"].mode == 0o755
    assert found["tmp"].mode == 0o1777
    assert {"session", "etc/passwd", "etc/hosts"} <= found.keys()


def test_no_applet_takes_the_place_of_the_program() -> None:
    assert entries(archive(b"program", ["busybox", "sh"]))["bin/busybox"].isreg()


def test_the_same_program_gives_the_same_bytes() -> None:
    first, second = archive(b"a", ["sh", "cat"]), archive(b"a", ["cat", "sh", "cat"])
    assert first == second
    assert fingerprint(first) != fingerprint(archive(b"b", ["sh", "cat"]))


def test_a_program_that_needs_a_loader_is_not_static() -> None:
    assert not is_static(Path(sys.executable).resolve().read_bytes())
    assert not is_static(b"#!/bin/sh\n")
    assert not is_static(b"")


@pytest.mark.skipif(shutil.which("busybox") is None, reason="there is no busybox on this machine")
def test_the_busybox_of_this_machine_is_static() -> None:
    assert is_static(Path(shutil.which("busybox") or "").read_bytes())
