"""The official SDK, on a loopback port, knows no difference (spec 4.8)."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from honcho import Honcho
from honcho.api_types import MessageCreateParams, SessionPeerConfig
from honcho.http.exceptions import (
    AuthenticationError,
    ConflictError,
    NotFoundError,
    ServerError,
    UnprocessableEntityError,
)

from bxio.embedded_honcho import EmbeddedHoncho, Faults
from tests.doubles.honcho_port import HonchoPort


@pytest.fixture
def sdk(honcho: EmbeddedHoncho) -> Iterator[Honcho]:
    with HonchoPort(honcho) as port:
        client = connect(port)
        yield client
        client._http.close()


def connect(port: HonchoPort, workspace: str = "w", token: str | None = None) -> Honcho:
    return Honcho(
        base_url=port.url, workspace_id=workspace, api_key=token or "none", max_retries=0, timeout=10
    )


def remember(sdk: Honcho, *texts: str, session: str = "s") -> None:
    owner = sdk.peer("owner")
    sdk.session(session).add_messages([owner.message(text) for text in texts])


def test_a_workspace_is_made_listed_changed_and_deleted(sdk: Honcho) -> None:
    sdk.set_metadata({"box": "attic"})
    assert sdk.get_metadata() == {"box": "attic"}
    assert list(sdk.workspaces()) == ["w"]
    assert list(sdk.workspaces(filters={"metadata": {"box": "cellar"}})) == []
    sdk.delete_workspace("w")
    with pytest.raises(NotFoundError, match="Workspace w not found"):
        sdk.delete_workspace("w")


def test_a_workspace_with_sessions_is_not_deleted(sdk: Honcho) -> None:
    session = sdk.session("s")
    session.get_metadata()
    with pytest.raises(ConflictError):
        sdk.delete_workspace("w")
    session.delete()
    sdk.delete_workspace("w")


def test_peers_are_made_with_metadata_and_listed(sdk: Honcho) -> None:
    peer = sdk.peer("owner", metadata={"role": "owner"})
    assert peer.get_metadata() == {"role": "owner"}
    peer.set_metadata({"role": "guest"})
    assert sdk.peer("owner").get_metadata() == {"role": "guest"}
    sdk.peer("boxmaker", metadata={})
    assert [each.id for each in sdk.peers()] == ["owner", "boxmaker"]


def test_a_session_has_peers_with_a_configuration_each(sdk: Honcho) -> None:
    session = sdk.session("s", metadata={"topic": "keys"})
    owner, guest = sdk.peer("owner"), sdk.peer("guest")
    session.add_peers([owner, (guest, SessionPeerConfig(observe_me=False))])
    assert {peer.id for peer in session.peers()} == {"owner", "guest"}
    assert session.get_peer_configuration(guest).observe_me is False
    session.set_peer_configuration(owner, SessionPeerConfig(observe_others=True))
    assert session.get_peer_configuration(owner).observe_others is True
    session.remove_peers([guest])
    assert [peer.id for peer in session.peers()] == ["owner"]
    session.set_peers([guest])
    assert [peer.id for peer in session.peers()] == ["guest"]
    assert [each.id for each in guest.sessions()] == ["s"]
    assert session.get_metadata() == {"topic": "keys"}
    assert [each.id for each in sdk.sessions()] == ["s"]


def test_messages_come_back_in_order_and_in_pages(sdk: Honcho) -> None:
    session = sdk.session("s")
    owner = sdk.peer("owner")
    session.add_messages([owner.message(f"line {n}", metadata={"n": n}) for n in range(60)])
    session.add_messages([owner.message(f"line {n}") for n in range(60, 120)])
    page = session.messages()
    assert (page.total, page.size, page.pages, len(page.items)) == (120, 50, 3, 50)
    assert [message.content for message in page] == [f"line {n}" for n in range(120)]
    assert [m.content for m in session.messages(filters={"metadata": {"n": 7}})] == ["line 7"]
    message = page.items[0]
    session.update_message(message, {"seen": True})
    assert session.get_message(message.id).metadata == {"seen": True}


def test_what_was_said_is_found(sdk: Honcho) -> None:
    remember(sdk, "The spare key is in the blue tin.", "It rains.")
    remember(sdk, "Keys are expensive.", session="other")
    assert sdk.search("spare keys")[0].content == "The spare key is in the blue tin."
    assert [m.session_id for m in sdk.session("other").search("key")] == ["other"]
    assert [m.peer_id for m in sdk.peer("owner").search("rain")] == ["owner"]
    assert sdk.search("zeppelin") == []


def test_the_workspace_answers_a_question(sdk: Honcho) -> None:
    remember(sdk, "Remember: the spare key is in the blue tin.", "Where is the spare key?")
    answer = sdk.chat("Where is the spare key?", reasoning_level="minimal")
    assert isinstance(answer, str)
    assert answer.startswith("owner said on ")
    assert answer.endswith(': "the spare key is in the blue tin"')
    assert sdk.chat("Who won the regatta?") is None
    assert "".join(sdk.chat_stream("Where is the spare key?")) == answer
    assert sdk.peer("owner").chat("Where is the spare key?") == answer


def test_there_is_nothing_in_the_queue(sdk: Honcho) -> None:
    remember(sdk, "It rains.")
    assert sdk.queue_status().pending_work_units == 0


def test_errors_come_as_the_sdk_knows_them(sdk: Honcho) -> None:
    remember(sdk, "It rains.")
    with pytest.raises(NotFoundError, match="Session nowhere not found"):
        sdk.chat("anything", session="nowhere")
    with pytest.raises(UnprocessableEntityError):
        sdk.search("rain", filters={"colour": "blue"})
    with pytest.raises(UnprocessableEntityError):
        sdk.session("s").add_messages(MessageCreateParams(content="x" * 25_001, peer_id="owner"))
    with pytest.raises(NotFoundError, match="Not Found"):
        sdk.scope("x")


def test_a_token_is_asked_for_when_the_server_has_one(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", token="hush")
    with HonchoPort(honcho) as port:
        stranger = connect(port, token="wrong")
        with pytest.raises(AuthenticationError, match="Invalid JWT"):
            stranger.search("x")
        stranger._http.close()
        friend = connect(port, token="hush")
        assert friend.search("x") == []
        friend._http.close()
    honcho.close()


def test_a_poisoned_message_fails_as_it_does_on_the_real_server(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", faults=Faults(poison=True, close_after_500=True))
    with HonchoPort(honcho) as port:
        sdk = connect(port)
        remember(sdk, "fine")
        with pytest.raises(UnprocessableEntityError):
            remember(sdk, "<|endoftext|>")
        for _ in range(3):
            with pytest.raises(ServerError):
                remember(sdk, "<|fim_prefix|>")
        sdk._http.close()
        again = connect(port)
        assert [m.content for m in again.session("s").messages()] == ["fine"]
        again._http.close()
    honcho.close()
