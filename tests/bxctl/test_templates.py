from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.templates import templates


def test_they_lie_in_the_checkout() -> None:
    assert (templates() / "boxmaker.toml").is_file()
    assert list((templates() / "grants").glob("*.toml.example"))


def test_an_install_has_them_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "config_files"
    monkeypatch.setattr("bxctl.templates._PLACES", (installed,))
    with pytest.raises(CommandError) as caught:
        templates()
    assert caught.value.exit is Exit.FAILED
    installed.mkdir()
    (installed / "boxmaker.toml").write_text("")
    assert templates() == installed
