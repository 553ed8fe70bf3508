"""``[[mcp]]`` in boxmaker.toml: read, anchored, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.config import Secrets
from bxcore.config.layers import SourceText
from bxcore.config.loading import Loaded, load
from bxcore.config.reading import read_secrets
from bxcore.paths import find

FILE = Path("/etc/boxmaker/boxmaker.toml")


def loaded(text: str, path: Path = FILE) -> Loaded:
    return load([SourceText(path=path, content=text.encode())], {}, cwd=Path("/"))


def sentences(text: str) -> list[tuple[int | None, str, str]]:
    return [(each.line, each.key, each.sentence) for each in loaded(text).problems]


def test_a_server_is_read_with_its_paths_anchored() -> None:
    found = loaded(
        '[[mcp]]\nname = "time"\ncommand = ["python", "-m", "time"]\nfolder = "here"\n'
        'env = { A = "b" }\nenv_files = { TOKEN = "token" }\n[[mcp]]\nname = "b"\ncommand = ["b"]\n'
    )
    assert found.settings is not None
    time, other = found.settings.mcp
    assert (time.name, time.command, time.env) == ("time", ("python", "-m", "time"), {"A": "b"})
    assert (time.folder, time.env_files) == (FILE.parent / "here", {"TOKEN": FILE.parent / "token"})
    assert (other.folder, other.start_s) == (None, 30.0)


@pytest.mark.parametrize(
    ("text", "line", "key", "sentence"),
    [
        (
            '[[mcp]]\nname = "Time"\ncommand = ["x"]',
            2,
            "mcp[1].name",
            "is no name of a server; write 1",
        ),
        ('[[mcp]]\nname = "t"\ncommand = []', 3, "mcp[1].command", "at least 1"),
        ('[[mcp]]\nname = "t"\ncommand = [" "]', 3, "mcp[1].command", "its first word is empty"),
        ('[[mcp]]\nname = "t"\ncomand = ["x"]', 3, "mcp[1].comand", "did you mean command"),
        ('[[mcp]]\nname = "t"\ncommand = "x"', 3, "mcp[1].command", "must be an array"),
        ('[mcp]\nname = "t"', 1, "mcp", ""),
        (
            '[[mcp]]\nname = "t"\ncommand = ["x"]\n[[mcp]]\nname = "t"\ncommand = ["y"]',
            5,
            "mcp[2].name",
            "t is there twice",
        ),
        (
            '[[mcp]]\nname = "t"\ncommand = ["x"]\nenv = { A = "1" }\nenv_files = { A = "f" }',
            5,
            "mcp[1].env_files.A",
            "A stands in env too",
        ),
        ('[[mcp]]\nname = "t"\ncommand = ["x"]\nenv = { "A=" = "1" }', 4, "mcp[1].env", "holds no ="),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, key: str, sentence: str) -> None:
    found = sentences(text)
    assert any(each[:2] == (line, key) and sentence in each[2] for each in found), found


def test_variables_come_from_files_and_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("tell-nobody\n")
    text = (
        '[[mcp]]\nname = "a"\ncommand = ["a"]\nenv_files = { TOKEN = "token" }\n'
        '[[mcp]]\nname = "b"\ncommand = ["b"]\nenv_files = { KEY = "gone" }\n'
    )
    found = loaded(text, tmp_path / "boxmaker.toml")
    assert found.settings is not None
    paths = find({"HOME": str(tmp_path)}, cwd=tmp_path, home=str(tmp_path))
    secrets, problems = read_secrets(found.settings, paths, {}, found.origins)
    assert secrets.mcp_env == ({"TOKEN": "tell-nobody"}, {})
    assert "tell-nobody" not in repr(secrets)
    (problem,) = problems
    assert (problem.place, problem.key) == (str(tmp_path / "boxmaker.toml"), "mcp[2].env_files.KEY")
    assert "is not there" in problem.sentence
    assert Secrets().mcp_env == ()
