"""An import in pieces: each fits the wire, and together they are the whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.control.memory_requests import ExchangeRequest, ImportTurnsRequest
from bxcore.control.routes import MAX_BODY_BYTES, encode
from bxcore.imports import Conversation, Exchange, Imported
from bxctl import importing
from bxctl.errors import CommandError

exchanges = st.builds(Exchange, st.text(max_size=60), st.text(max_size=60), st.just(""))


@given(st.lists(exchanges, min_size=1, max_size=12), st.integers(50, 400))
def test_the_pieces_are_the_whole_and_numbered(talk: list[Exchange], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing, "MOST_BYTES", most)
        found = list(importing.pieces(Imported(conversations=(Conversation("c", tuple(talk)),)), "anna"))
    requests = [piece.request for piece in found]
    assert all(isinstance(each, ImportTurnsRequest) and each.speaker == "anna" for each in requests)
    turns: list[ExchangeRequest] = []
    for each in requests:
        assert isinstance(each, ImportTurnsRequest)
        assert each.first == len(turns) + 1
        turns += each.turns
    assert [(turn.user, turn.reply) for turn in turns] == [(each.user, each.reply) for each in talk]


def test_a_piece_fits_the_wire_whatever_its_letters_are() -> None:
    talk = Conversation("c", tuple(Exchange("\U0001f511" * 20_000, "ü" * 20_000) for _ in range(12)))
    found = list(importing.pieces(Imported(conversations=(talk,)), None))
    assert len(found) > 1
    for piece in found:
        body = encode(piece.request).body
        assert body is not None
        assert len(body) <= MAX_BODY_BYTES


def test_entries_are_one_piece() -> None:
    [piece] = importing.pieces(Imported(entries=("a", "b")), None)
    assert piece.what == "notes"


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: no such file"):
        importing.read(tmp_path / "none.md")
    (tmp_path / "a.md").write_text("- one\n")
    assert importing.read(tmp_path / "a.md").entries == ("one",)
