"""The file of typed lines: what it keeps, what it never does, and its bounds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bxctl.talking.history import LONGEST, MOST, NAME, History, Line, may_be_kept


def texts(history: History) -> list[str]:
    return [line.text for line in history.lines()]


def test_lines_come_back_in_order_with_their_session(tmp_path: Path) -> None:
    History(tmp_path).add("main", "one\ntwo é")
    History(tmp_path).add("k3f", "three")
    assert History(tmp_path).lines() == [
        Line(session="main", text="one\ntwo é"),
        Line(session="k3f", text="three"),
    ]


def test_nobody_else_reads_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        History(tmp_path).add("main", "hello")
        made = stat.S_IMODE((tmp_path / NAME).stat().st_mode)
        History(tmp_path).add("main", "goodbye")
        History(tmp_path).forget(text="hello")
    finally:
        os.umask(before)
    assert made == 0o600
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "use ghp_" + "A1b2C3d4E5" * 3 + "abcdef for it",
        "my password is hunter2",
        "PIN: 1234",
        "das Kennwort ist Sommer",
        "api key = abc",
        "x" * (LONGEST + 1),
    ],
)
def test_what_holds_or_names_a_secret_or_is_a_page_is_not_kept(tmp_path: Path, text: str) -> None:
    assert not may_be_kept(text)
    History(tmp_path).add("main", text)
    assert texts(History(tmp_path)) == []


@pytest.mark.parametrize("text", ["where is the key?", "who passed the exam: ada?", "x" * LONGEST])
def test_other_lines_are_kept(text: str) -> None:
    assert may_be_kept(text)


def test_it_is_cut_to_the_newest_when_it_has_grown(tmp_path: Path) -> None:
    lines = "".join(Line(session="main", text=str(n)).written() for n in range(2 * MOST + 1))
    (tmp_path / NAME).write_text(lines)
    history = History(tmp_path)
    assert (texts(history)[0], texts(history)[-1]) == (str(MOST + 1), str(2 * MOST))
    assert len((tmp_path / NAME).read_text().splitlines()) == MOST


def test_what_is_forgotten_goes_by_session_or_by_text(tmp_path: Path) -> None:
    history = History(tmp_path)
    for session, text in (("a", "the Blue  tin"), ("a", "red"), ("b", "green"), ("b", "blue")):
        history.add(session, text)
    assert history.forget(text="blue tin") == 1
    assert texts(history) == ["red", "green", "blue"]
    assert history.forget(session="b") == 2
    assert texts(history) == ["red"]
    assert history.forget() == 0


def test_damage_costs_its_line_alone(tmp_path: Path) -> None:
    good = Line(session="main", text="good").written()
    (tmp_path / NAME).write_bytes(
        b'{"session": 1, "text": "x"}\n[]\n\xff\xfe\n{"sess' + b"\n" + good.encode()
    )
    assert texts(History(tmp_path)) == ["good"]


def test_a_file_that_cannot_be_is_no_failure(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("")
    (tmp_path / NAME).symlink_to(target)
    History(tmp_path).add("main", "hello")
    assert target.read_text() == ""  # a link is not followed
    History(tmp_path / "nowhere").add("main", "hello")
    assert texts(History(tmp_path / "nowhere")) == []
