"""The shipped ``config/boxmaker.toml`` and the code say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bxcore.config import Settings, SourceText, load
from bxcore.config.settings import McpTable, ModelServerTable
from bxcore.grants import load as load_grants

CONFIG = Path(__file__).resolve().parents[2] / "config"
FILE = CONFIG / "boxmaker.toml"
UNSET = "not set by default"
_KEY = re.compile(r"^#(\[\[.*?\]\]|[a-z_]+ = )")


def uncommented(*, unset: bool) -> str:
    """Take the # off each key's line; ``unset`` takes those that have no default too."""
    lines = []
    example = False
    for line in FILE.read_text().splitlines():
        example = (example or line.startswith("#[[")) and line.startswith("#")
        wanted = _KEY.match(line) and (unset or not (example or UNSET in line))
        lines.append(line[1:] if wanted else line)
    return "\n".join(lines)


def test_as_shipped_it_changes_nothing() -> None:
    found = load([SourceText(path=FILE, content=FILE.read_bytes())], {}, cwd=Path("/"))
    assert found.problems == ()
    assert found.settings == Settings()


def test_each_line_that_is_uncommented_says_the_default() -> None:
    found = load([SourceText(path=FILE, content=uncommented(unset=False).encode())], {}, cwd=Path("/"))
    assert found.problems == ()
    assert found.settings == Settings()
    said = {key for key, origin in found.origins.items() if origin != "default"}
    assert {"model.url", "loop.max_rounds", "honcho.untrusted", "log.level"} <= said


def test_every_key_is_there_and_none_that_the_code_does_not_know() -> None:
    tables = tomllib.loads(uncommented(unset=True))
    (server,) = tables.pop("mcp")
    assert set(server) == set(McpTable.model_fields)
    written = {f"{table}.{key}" for table, keys in tables.items() for key in keys}
    known = {
        f"{table}.{key}"
        for table, info in Settings.model_fields.items()
        for key in getattr(info.annotation, "model_fields", ())
    }
    assert written == known
    assert set(tables["honcho"]["read"][0]) == {"agent", "workspace", "trusted", "class"}
    assert set(tables["model"]["also"][0]) == set(ModelServerTable.model_fields)


def test_every_key_has_a_comment_above_it() -> None:
    lines = FILE.read_text().splitlines()
    keys = [number for number, line in enumerate(lines) if _KEY.match(line)]
    assert [lines[number] for number in keys if not lines[number - 1].startswith("#")] == []


@pytest.mark.parametrize("example", sorted((CONFIG / "grants").iterdir()), ids=lambda path: path.name)
def test_each_example_grant_is_sound_once_its_folders_exist(example: Path, tmp_path: Path) -> None:
    assert example.name.endswith(".toml.example")
    text = example.read_text().replace("/home/me/", f"{tmp_path}/me/")
    for folder in ("notes", "drafts"):
        (tmp_path / "me" / folder).mkdir(parents=True)
    grants = tmp_path / "grants"
    grants.mkdir()
    (grants / example.name.removesuffix(".example")).write_text(text)
    found = load_grants(grants)
    assert found.problems == ()
    assert [grant.id for grant in found.grants] == [example.name.removesuffix(".toml.example")]


def test_no_example_is_a_grant_as_it_lies_there() -> None:
    assert load_grants(CONFIG / "grants") == ((), ())
