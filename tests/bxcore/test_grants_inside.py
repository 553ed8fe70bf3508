from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.grants import load

WRITES = 'tool = "write_file"\nmode = "ask"\n'
COMMANDS = 'tool = "shell"\nmode = "auto"\nread_only = false\n'
LOOKS = 'tool = "shell"\nmode = "auto"\n'
READS = 'tool = "read_file"\nmode = "auto"\n'
DENIES = 'tool = "read_file"\nmode = "deny"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("grants", "notes/a/b", "notes2"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def told(home: Path, **grants: tuple[str, str]) -> list[tuple[str, int, str]]:
    for name, (text, path) in grants.items():
        (home / "grants" / f"{name}.toml").write_text(f'{text}paths = ["{home / path}"]\n')
    return [(Path(each.file).stem, each.line, each.problem) for each in load(home / "grants").problems]


@pytest.mark.parametrize("outer", [WRITES, COMMANDS])
@pytest.mark.parametrize("inner", [READS, WRITES, COMMANDS, LOOKS])
def test_a_folder_inside_one_that_may_be_written_is_a_problem(home: Path, outer: str, inner: str) -> None:
    ((file, line, problem),) = told(home, inner=(inner, "notes/a/b"), outer=(outer, "notes"))
    assert (file, line) == ("inner", inner.count("\n") + 1)
    assert problem == (
        f"the folder {home}/notes/a/b lies in one that the grant outer lets a tool write, which could put a"
        " link in its place; name another"
    )


@pytest.mark.parametrize("outer", [READS, LOOKS, DENIES, 'tool = "write_file"\nmode = "deny"\n'])
def test_one_inside_a_folder_that_is_only_read_is_none(home: Path, outer: str) -> None:
    assert told(home, inner=(READS, "notes/a"), outer=(outer, "notes")) == []


def test_the_same_folder_a_neighbour_and_one_around_it_are_none(home: Path) -> None:
    grants = {"same": (READS, "notes/a"), "beside": (READS, "notes2"), "around": (READS, "notes")}
    assert told(home, writes=(WRITES, "notes/a"), commands=(COMMANDS, "notes/a"), **grants) == []


def test_a_folder_that_is_denied_is_none_but_a_link_to_it(home: Path) -> None:
    assert told(home, no=(DENIES, "notes/a"), writes=(COMMANDS, "notes")) == []
    (home / "notes" / "link").symlink_to("a")
    ((file, line, problem),) = told(home, no=(DENIES, "notes/link"))
    assert (file, line) == ("no", 3)
    assert problem.endswith(f"which could replace the link that it is; name {home}/notes/a")


def test_links_hide_nothing(home: Path) -> None:
    (home / "alias").symlink_to("notes")
    (home / "in").symlink_to("notes/a")
    (home / "notes" / "out").symlink_to(home / "notes2")
    assert [each[0] for each in told(home, one=(READS, "notes/a"), writes=(WRITES, "alias"))] == ["one"]
    assert [each[0] for each in told(home, one=(READS, "in"))] == ["one"]
    assert [each[0] for each in told(home, one=(READS, "notes/out"), writes=(WRITES, "notes"))] == ["one"]
    assert told(home, one=(READS, "alias")) == []


def test_one_grant_that_writes_has_no_folder_inside_another(home: Path) -> None:
    def problems(text: str, *paths: str) -> list[tuple[int, str]]:
        named = ", ".join(f'"{home / path}"' for path in paths)
        (home / "grants" / "g.toml").write_text(f"{text}paths = [\n{named}]\n")
        return [(each.line, each.problem) for each in load(home / "grants").problems]

    (home / "notes" / "self").symlink_to(".")
    for text in (WRITES, COMMANDS):
        (told,) = problems(text, "notes", "notes/a/b")
        assert told[1] == (
            f"the folder {home}/notes/a/b lies in one that this same grant lets a tool write, which could put"
            " a link in its place; name another"
        )
        assert problems(text, "notes/a", "notes2") == []
        assert len(problems(text, "notes/self")) == 1, "it lies in where it leads"
    for text in (READS, LOOKS, DENIES):
        assert problems(text, "notes", "notes/a/b") == []


def test_a_set_that_is_read_whole_is_told_all_its_problems_at_once(home: Path) -> None:
    found = told(home, a=(READS, "notes/a"), b=(READS, "notes/a/b"), c=(READS, "gone"), w=(WRITES, "notes"))
    assert [each[0] for each in found] == ["c", "a", "b"]
