from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxcore.outgoing import batches, parts


def turn(user: str, reply: str) -> FinishedTurn:
    return FinishedTurn(
        session="k3f", turn=4, at="2026-11-02T10:00:00Z", user=user, reply=reply, label=NEW_SESSION
    )


def test_a_turn_is_two_messages_of_two_peers() -> None:
    user, reply = parts(turn("hi", "hello"), speaker="owner", agent="boxmaker")
    assert (user.peer, user.content, user.at) == ("owner", "hi", "2026-11-02T10:00:00Z")
    assert (reply.peer, reply.content) == ("boxmaker", "hello")
    assert user.metadata == {"session": "k3f", "turn": 4, "part": 0}
    assert reply.metadata == {"session": "k3f", "turn": 4, "part": 1}


def test_a_long_text_is_split_at_25000_characters() -> None:
    found = parts(turn("é" * 60_000, "x"), speaker="owner", agent="boxmaker")
    assert [(part.peer, len(part.content), part.number) for part in found] == [
        ("owner", 25_000, 0),
        ("owner", 25_000, 1),
        ("owner", 10_000, 2),
        ("boxmaker", 1, 3),
    ]


@given(st.text(), st.text(min_size=1))
def test_the_parts_are_the_whole_text_as_honcho_takes_it(user: str, reply: str) -> None:
    found = parts(turn(user, reply), speaker="owner", agent="boxmaker")
    said = "".join(part.content for part in found if part.peer == "owner")
    assert said == user.replace("\0", "")
    assert all("\0" not in part.content for part in found)
    assert [part.number for part in found] == list(range(len(found)))


def test_short_parts_go_100_to_an_append_and_long_ones_6() -> None:
    [short, _] = parts(turn("hi", "hello"), speaker="owner", agent="boxmaker")
    assert [len(batch) for batch in batches([short] * 250)] == [100, 100, 50]
    long = parts(turn("x" * 25_000 * 13, "y"), speaker="owner", agent="boxmaker")
    assert [len(batch) for batch in batches(long)] == [6, 6, 2]
    assert [part for batch in batches(long) for part in batch] == list(long)
    assert list(batches([])) == []
