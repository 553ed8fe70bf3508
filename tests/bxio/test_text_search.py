from __future__ import annotations

import os
from pathlib import Path

import pytest

from bxcore.forgetting import Needle
from bxio import text_search
from bxio.text_search import holding, holds
from tests.doubles.deep_folders import nested

NEEDLE = Needle("blue tin")


def never(_: Path) -> bool:
    return False


def found(folder: Path, **options: int) -> list[tuple[str, str]]:
    return [(str(path.relative_to(folder)), why) for path, why in holding([folder], NEEDLE, never, **options)]


def test_each_file_that_holds_it_is_found_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("my BLUE\n tin")
    (tmp_path / "d.json").write_text('{"text":"blue\\\\ntin"}')
    (tmp_path / "e.txt").write_text("bluetin")
    assert found(tmp_path) == [("d.json", ""), ("a/b/c.txt", "")]
    assert found(tmp_path / "none") == []


def test_links_databases_and_what_is_seen_to_elsewhere_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").write_text("blue tin")
    box = tmp_path / "box"
    box.mkdir()
    (box / "link.txt").symlink_to(tmp_path / "other" / "x.txt")
    (box / "folder").symlink_to(tmp_path / "other")
    for name in ("recall.sqlite", "recall.sqlite-wal", "seen.txt"):
        (box / name).write_text("blue tin")
    os.mkfifo(box / "pipe")
    assert list(holding([box], NEEDLE, lambda path: path.name == "seen.txt")) == []


def test_a_text_across_two_pieces_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "PIECE", 64)
    monkeypatch.setattr(text_search, "OVERLAP", 8)
    path = tmp_path / "long.txt"
    for before in range(50, 66):
        path.write_text("x" * before + "blue tin" + "y" * 200)
        assert holds(path, NEEDLE)
    path.write_text("x" * 60 + "blue tan" + "y" * 200)
    assert not holds(path, NEEDLE)


def test_a_file_in_place_of_which_a_link_was_put_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("blue tin")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    with pytest.raises(OSError, match="symbolic links"):
        holds(tmp_path / "link", NEEDLE)


def test_what_is_too_much_to_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("blue tin")
    (tmp_path / "b.txt").write_text("blue tin and more")
    assert found(tmp_path, most_bytes=10) == [("a.txt", ""), ("b.txt", "there is too much to look through")]


def test_folders_may_be_nested_as_deep_as_a_tool_likes(tmp_path: Path) -> None:
    with nested(tmp_path / "deep") as deepest:
        (deepest / "a.txt").write_text("blue tin")
        assert [why for _, why in found(tmp_path)] == [""]
        (deepest / "a.txt").unlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read where modes say no")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    assert found(tmp_path) == [("shut", "permission denied")]


def test_values_of_lines_are_told_from_their_field_names(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text('{"blue tin":"a"}\n{"a":["BLUE\\ntin"]}\n')
    assert text_search.holds_in_values(path, NEEDLE)
    path.write_text('{"blue tin":"a"}\n')
    assert not text_search.holds_in_values(path, NEEDLE)
    path.write_text('{"a":"blue tin')
    assert text_search.holds_in_values(path, NEEDLE), "what is torn is looked through as it is"
