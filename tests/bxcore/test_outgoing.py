from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.finished_turns import FinishedTurn
from bxcore.labels import NEW_SESSION
from bxcore.outgoing import not_there, parts


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


def test_what_the_server_holds_is_not_sent_again() -> None:
    user, reply = parts(turn("hi", "hello"), speaker="owner", agent="boxmaker")
    assert not_there((user, reply), set()) == (user, reply)
    assert not_there((user, reply), {(0, "hi")}) == (reply,)
    assert not_there((user, reply), {(0, "hi"), (1, "hello")}) == ()


def test_another_turn_of_that_number_is_not_this_one() -> None:
    wanted = parts(turn("hi", "hello"), speaker="owner", agent="boxmaker")
    assert not_there(wanted, {(0, "from a box of old"), (None, "hi")}) == wanted
