from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.sandbox import SandboxError
from bxcore.sandbox.mount_table import origin
from bxio import mounted as module
from bxio.mounted import mounted


def test_the_root_and_the_kernels_window_are_mounted_here() -> None:
    assert {"/", "/proc"} <= {mount.point for mount in mounted()}
    found = origin("/proc/self", mounted())
    assert found is not None
    assert found.path == "/self"


def test_a_list_that_cannot_be_read_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIST", str(tmp_path / "none"))
    with pytest.raises(SandboxError, match=r"the list of what is mounted, .*/none, cannot be read"):
        mounted()
