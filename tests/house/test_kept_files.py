"""What may stand in no file that is kept: addresses of package registries, paths of one machine."""

from __future__ import annotations

import pytest

from tests.house.source import ROOT, kept_files

BINARY = (".png", ".gguf", ".sqlite", ".bin", ".gz")
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("py" + "pi", "org"),
        ("python" + "hosted", "org"),
        ("npm" + "js", "org"),
        ("npm" + "js", "com"),
    )
)
MACHINE = tuple(f"/{folder}/" for folder in ("work/main", "work/shared", "work/plan", "root"))
LEFTOVERS = ("<" * 7 + " ", ">" * 7 + " ", "farm" + "-studio")


def texts() -> dict[str, str]:
    names = [name for name in kept_files() if not name.endswith(BINARY)]
    return {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names}


@pytest.mark.parametrize("word", [*REGISTRIES, *MACHINE, *LEFTOVERS])
def test_no_kept_file_holds(word: str) -> None:
    assert [name for name, text in texts().items() if word in text] == []


def test_every_text_file_ends_with_one_newline() -> None:
    ragged = [
        name for name, text in texts().items() if text and (not text.endswith("\n") or text.endswith("\n\n"))
    ]
    assert ragged == []


def test_scripts_can_be_run() -> None:
    for name in ("bx", ".ci/run"):
        assert (ROOT / name).stat().st_mode & 0o111, name
