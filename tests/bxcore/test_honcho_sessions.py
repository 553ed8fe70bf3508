from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bxcore.honcho_sessions import MAX_ID, peer_id, session_id
from bxcore.workspaces import is_honcho_name

sessions = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}(--[0-9]{1,2}){0,2}", fullmatch=True)
pairs = st.tuples(sessions, st.integers(0, 12))
peers = st.from_regex(r"[A-Za-z0-9_-]{1,130}", fullmatch=True)


@given(pairs, pairs)
def test_no_two_sessions_share_an_id(one: tuple[str, int], other: tuple[str, int]) -> None:
    assert (session_id(*one) == session_id(*other)) == (one == other)


def test_a_number_at_the_end_of_a_name_is_no_other_sessions_generation() -> None:
    assert session_id("a", 1) == "a--1"
    assert session_id("a--1", 0) != "a--1"


@given(pairs)
def test_an_id_is_one_that_every_server_takes(pair: tuple[str, int]) -> None:
    found = session_id(*pair)
    assert len(found) <= MAX_ID
    assert is_honcho_name(found)


def test_the_longest_name_has_room_for_its_number() -> None:
    assert len(session_id("x" * 64, 10**9)) <= MAX_ID


@given(peers, peers)
def test_no_two_peers_share_an_id(one: str, other: str) -> None:
    assert (peer_id(one) == peer_id(other)) == (one == other)
    assert len(peer_id(one)) <= MAX_ID
    assert is_honcho_name(peer_id(one))


def test_a_long_peer_keeps_its_beginning_and_is_told_from_its_like() -> None:
    assert peer_id("p" * 100) == "p" * 100
    assert peer_id("p" * 101).startswith("p" * 83 + "-")
    assert peer_id("p" * 101) != peer_id("p" * 102)


def test_a_peer_that_looks_like_a_cut_one_is_another() -> None:
    cut = peer_id("p" * 101)
    assert peer_id(cut) != cut
    assert len(peer_id(cut)) <= MAX_ID
