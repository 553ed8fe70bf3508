"""An import in pieces: each fits the wire, and together they are the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore import imports
from bxcore.control.memory_requests import ExchangeRequest, ImportEntriesRequest, ImportTurnsRequest
from bxcore.control.routes import MAX_BODY_BYTES, encode
from bxcore.imports import Conversation, Exchange, Imported
from bxctl import importing
from bxctl.errors import CommandError
from bxctl.wire import Wire

exchanges = st.builds(Exchange, st.text(max_size=60), st.text(max_size=60), st.just(""))


def pieces(*talk: Exchange, speaker: str | None = None) -> tuple[list[ImportTurnsRequest], list[str]]:
    found = importing.found(Imported(conversations=(Conversation("c", talk),)), speaker)
    requests = [piece for thing in found.things for piece in thing]
    assert all(isinstance(each, ImportTurnsRequest) for each in requests)
    return requests, list(found.problems)  # type: ignore[return-value]  # seen above


@given(st.lists(exchanges, min_size=1, max_size=12), st.integers(50, 400))
def test_the_pieces_are_the_whole_and_numbered_but_for_what_no_piece_can_hold(
    talk: list[Exchange], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing, "MOST_BYTES", most)
        requests, problems = pieces(*talk, speaker="anna")
    turns: list[ExchangeRequest] = []
    for each in requests:
        assert (each.first, each.speaker) == (len(turns) + 1, "anna")
        turns += each.turns
    assert len(turns) + len(problems) == len(talk)
    said = iter((each.user, each.reply) for each in talk)
    assert all((turn.user, turn.reply) in said for turn in turns)  # in their order


@pytest.mark.parametrize(
    "exchange",
    [Exchange("\U0001f511" * 20_000, "ü" * 20_000), Exchange("a", "b"), Exchange("a", "b" * 899_900)],
    ids=["wide", "tiny", "huge"],
)
def test_a_piece_fits_the_wire_whatever_its_letters_are(exchange: Exchange) -> None:
    count = 2_000_000 // (len(exchange.user) * 12 + len(exchange.reply) + 40)
    requests, problems = pieces(*[exchange] * count)
    assert (len(requests) > 1, problems) == (True, [])
    for request in requests:
        body = encode(request).body
        assert body is not None
        assert len(body) <= MAX_BODY_BYTES


def test_an_exchange_that_no_request_holds_is_left_out_and_named() -> None:
    [request], problems = pieces(Exchange("a", "b"), Exchange("a", "b" * 900_000), Exchange("c", "d"))
    assert [turn.user for turn in request.turns] == ["a", "c"]
    assert problems == ["exchange 2 of c takes 900,038 bytes and is left out"]


def test_entries_are_one_piece_or_too_many() -> None:
    found = importing.found(Imported(entries=("a", "b")), None)
    assert found.things == [[ImportEntriesRequest(entries=("a", "b"))]]
    found = importing.found(Imported(entries=("a" * 900_000,)), None)
    assert (found.things, len(found.problems)) == ([], 1)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="cannot be read: no such file"):
        importing.read(tmp_path / "none.md")
    (tmp_path / "a.md").write_text("- one\n")
    assert importing.read(tmp_path / "a.md").entries == ("one",)
    monkeypatch.setattr(imports, "MAX_BYTES", 7)
    monkeypatch.setattr("bxcore.imports.reading.MAX_BYTES", 7)
    [problem] = importing.read(Path("/dev/zero")).problems  # which has no end
    assert "has 8 bytes and an import takes 7" in problem


def test_a_folder_s_files_of_notes_and_messages_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_text("- name is Ann\n")
    (tmp_path / "MEMORY.MD").write_text("- has a dog\n§\n- has a cat\n")
    (tmp_path / "chat.jsonl").write_text(
        '{"role": "user", "content": "hello"}\n{"role": "assistant", "content": "good day"}\n'
    )
    read = importing.read(tmp_path)
    assert read.entries[-1] == "name is Ann"
    assert [talk.name.split()[0] for talk in read.conversations] == ["chat.jsonl"]
    assert read.conversations == importing.read(tmp_path / "chat.jsonl").conversations
    assert read.problems == ()


def test_a_folder_s_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = [f"{letter}.md" for letter in "qwertzuiopasdfghjklyxcvbnm"]
    for name in names:
        (tmp_path / name).write_text(f"- {name}\n")
    assert importing.read(tmp_path).entries == tuple(sorted(names))


def test_what_else_is_in_a_folder_is_counted_and_a_hidden_file_is_none_of_it(tmp_path: Path) -> None:
    for name in ("photo.png", ".secret.md"):
        (tmp_path / name).write_text("- not taken\n")
    (tmp_path / "inner.md").mkdir()
    (tmp_path / "bad.md").write_bytes(b"- \xff\n")
    read = importing.read(tmp_path)
    assert read.entries == ()
    assert read.problems == (
        "bad.md is not UTF-8 text (byte 3); save it as UTF-8",
        f"{tmp_path} has 2 more that are no files of notes or messages",
    )


def test_a_file_of_a_folder_that_cannot_be_read_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"- {name}\n")
    opened = Path.open

    def fails(path: Path, *words: Any, **named: Any) -> Any:
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return opened(path, *words, **named)

    monkeypatch.setattr(Path, "open", fails)
    read = importing.read(tmp_path)
    assert read.entries == ("b.md",)
    assert read.problems == (f"{tmp_path / 'a.md'} cannot be read: permission denied",)


class Scripted(Wire):
    """Answers each piece as a memory does that holds ``there`` turns of a conversation."""

    def __init__(self, there: int, refused: tuple[str, ...] = ()) -> None:
        super().__init__(Path("/nonexistent"))
        self.there = there
        self.refused = refused
        self.asked: list[Any] = []

    def call(self, request: Any, timeout_s: float = 1.0) -> Any:
        del timeout_s
        self.asked.append(request)
        already = min(len(request.turns), max(0, self.there - request.first + 1))
        new = 0 if self.refused else len(request.turns) - already
        assert request.first <= self.there + 1, "memory would say that turns are missing"
        if not request.dry_run:
            self.there += new
        return {
            "done": not request.dry_run,
            "new": new,
            "already": already,
            "session": "import-c",
            "refused": list(self.refused),
        }


def three_pieces() -> list[ImportTurnsRequest]:
    exchange = ExchangeRequest(user="a", reply="b")
    piece = ImportTurnsRequest(conversation="c", turns=(exchange,) * 2)
    return [piece, replace(piece, first=3), replace(piece, first=5)]


@pytest.mark.parametrize("there", range(7))
def test_a_trial_counts_what_the_import_then_brings(there: int) -> None:
    wire = Scripted(there)
    would = importing.hand_over(wire, three_pieces(), dry_run=True)
    assert wire.there == there
    did = importing.hand_over(wire, three_pieces(), dry_run=False)
    assert (would["new"], would["already"], would["done"]) == (6 - there, there, False)
    assert (did["new"], did["already"], did["done"]) == (6 - there, there, True)
    assert importing.hand_over(wire, three_pieces(), dry_run=False)["new"] == 0


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("there", [0, 3, 6])
def test_each_piece_is_told_of_whether_it_was_sent_or_not(there: int, *, dry_run: bool) -> None:
    told: list[int] = []
    importing.hand_over(Scripted(there), three_pieces(), dry_run=dry_run, told=told.append)
    assert told == [2, 2, 2]
    assert sum(told) == importing.size(three_pieces())


def test_nothing_goes_on_behind_a_piece_that_was_refused() -> None:
    wire = Scripted(0, refused=("turn 1 is not what was imported before",))
    answer = importing.hand_over(wire, three_pieces(), dry_run=False)
    assert (len(wire.asked), answer["refused"]) == (1, list(wire.refused))
