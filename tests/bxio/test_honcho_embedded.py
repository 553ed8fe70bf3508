"""Our client and the embedded server agree, in the process and without a socket."""

from __future__ import annotations

import time

import pytest

from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer, NewMessage, QueueStatus, errors


def soon() -> float:
    return time.monotonic() + 20


@pytest.fixture
def client(honcho: EmbeddedHoncho) -> HonchoClient:
    return HonchoClient(HonchoServer(transport=honcho.transport))


def test_what_was_said_is_answered(client: HonchoClient) -> None:
    client.append(
        "w", "s", [NewMessage(peer="owner", content="Remember: the spare key is in the blue tin.")], soon()
    )
    answer = client.chat("w", "Where is the spare key?", soon())
    assert answer is not None
    assert answer.endswith(': "the spare key is in the blue tin"')
    assert client.chat("w", "Who won the regatta?", soon()) is None


def test_a_workspace_that_was_never_used_is_told_apart(client: HonchoClient) -> None:
    with pytest.raises(errors.NoSuchWorkspace):
        client.chat("w", "anything", soon())
    assert client.search("w", "anything", 5, soon()) == []
    client.ensure_workspace("w", soon())
    client.ensure_workspace("w", soon())
    assert client.chat("w", "anything", soon()) is None


def test_a_turn_is_found_again_by_its_metadata(client: HonchoClient) -> None:
    for turn in range(3):
        client.append(
            "w",
            "s",
            [NewMessage(peer="owner", content=f"turn {turn}", metadata={"turn": turn, "part": 0})],
            soon(),
        )
    [found] = client.find("w", "s", {"turn": 1, "part": 0}, soon())
    assert (found.content, found.peer_id, found.metadata) == ("turn 1", "owner", {"turn": 1, "part": 0})
    assert client.find("w", "s", {"turn": 9}, soon()) == []
    assert client.find("w", "unknown", {"turn": 1}, soon()) == []


def test_more_than_a_page_is_found(client: HonchoClient) -> None:
    for start in (0, 100):
        batch = [NewMessage(peer="p", content=f"{n}", metadata={"k": 1}) for n in range(start, start + 100)]
        client.append("w", "s", batch, soon())
    client.append("w", "s", [NewMessage(peer="p", content="200", metadata={"k": 1})], soon())
    assert [m.content for m in client.find("w", "s", {"k": 1}, soon())] == [str(n) for n in range(201)]


def test_the_same_batch_twice_is_two_copies(client: HonchoClient) -> None:
    for _ in range(2):
        client.append("w", "s", [NewMessage(peer="owner", content="once", metadata={"turn": 1})], soon())
    assert len(client.find("w", "s", {"turn": 1}, soon())) == 2


def test_a_time_that_was_given_is_kept(client: HonchoClient) -> None:
    message = NewMessage(peer="owner", content="The key is lost.", created_at="2026-10-01T12:00:00+02:00")
    [stored] = client.append("w", "s", [message], soon())
    assert stored.created_at == "2026-10-01T10:00:00.000000Z"
    assert client.chat("w", "Where is the key?", soon()) == 'owner said on 2026-10-01: "The key is lost"'


def test_text_that_no_database_takes_is_mended_on_the_way(client: HonchoClient) -> None:
    [stored] = client.append("w", "s", [NewMessage(peer="owner", content="a\ud800b\0c")], soon())
    assert stored.content == "a\N{REPLACEMENT CHARACTER}bc"


def test_search_finds_in_spite_of_a_question_mark(client: HonchoClient) -> None:
    client.append("w", "s", [NewMessage(peer="owner", content="The saffron is in the larder.")], soon())
    assert [m.content for m in client.search("w", "saffron?", 5, soon())] == ["The saffron is in the larder."]


def test_peers_and_sessions_are_made_and_nothing_waits(client: HonchoClient) -> None:
    client.ensure_peer("w", "owner", soon())
    client.ensure_session("w", "s", soon())
    assert client.queue_status("w", soon()) == QueueStatus(
        total_work_units=0, completed_work_units=0, in_progress_work_units=0, pending_work_units=0
    )


def test_a_batch_over_the_limit_is_refused_whole(client: HonchoClient) -> None:
    with pytest.raises(errors.Refused):
        client.append("w", "s", [NewMessage(peer="p", content="x") for _ in range(101)], soon())
    with pytest.raises(errors.Refused):
        client.append("w", "s", [NewMessage(peer="p", content=text) for text in ("ok", "x" * 25_001)], soon())
    assert client.find("w", "s", {}, soon()) == []


def test_a_deadline_that_has_passed_is_late_in_the_process_too(client: HonchoClient) -> None:
    with pytest.raises(errors.Late):
        client.search("w", "x", 1, time.monotonic() - 1)
