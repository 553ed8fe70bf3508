from __future__ import annotations

from typing import Any

import pytest

from tests.bxio.conftest import Speak

W = "/v3/workspaces/w"
S = f"{W}/sessions/s/messages"


def say(speak: Speak, *texts: str, session: str = "s", peer: str = "owner") -> None:
    messages = [{"peer_id": peer, "content": text} for text in texts]
    assert speak("POST", f"{W}/sessions/{session}/messages", {"messages": messages})[0] == 201


def found(speak: Speak, query: str, path: str = W, **more: Any) -> list[str]:
    status, messages = speak("POST", f"{path}/search", {"query": query, **more})
    assert status == 200
    return [message["content"] for message in messages]


def test_words_are_stemmed_joined_by_or_and_without_accents(speak: Speak) -> None:
    say(speak, "The keys hang by the door.", "Zoë painted the attic.", "It rains.")
    assert found(speak, "which KEY?") == ["The keys hang by the door."]
    assert found(speak, "zoe painting") == ["Zoë painted the attic."]
    assert set(found(speak, "key, or the attic!")) == {"The keys hang by the door.", "Zoë painted the attic."}
    assert found(speak, "what is it") == ["It rains."]


def test_a_statement_comes_before_the_question(speak: Speak) -> None:
    say(speak, "Where is the spare key?", "The spare key is in the tin.", "Where is the spare key?")
    assert found(speak, "Where is the spare key?")[0] == "The spare key is in the tin."


@pytest.mark.parametrize("query", ["", "?!", '"', "key AND (", "NEAR(key", "key*", "content:key", "{a} : b"])
def test_no_query_is_an_error(speak: Speak, query: str) -> None:
    say(speak, "The key.")
    assert found(speak, query) in ([], ["The key."])


def test_an_unknown_workspace_has_nothing(speak: Speak) -> None:
    assert found(speak, "key") == []


@pytest.mark.parametrize(
    ("limit", "status"), [(1, 200), (100, 200), ("2", 200), (0, 422), (101, 422), (None, 422), (2.5, 422)]
)
def test_the_limit_is_1_to_100(speak: Speak, limit: Any, status: int) -> None:
    assert speak("POST", f"{W}/search", {"query": "key", "limit": limit})[0] == status


def test_the_limit_is_kept_to_and_is_10_by_itself(speak: Speak) -> None:
    say(speak, *(f"key {n}" for n in range(20)))
    assert len(found(speak, "key")) == 10
    assert len(found(speak, "key", limit=3)) == 3


def test_a_search_may_be_filtered(speak: Speak) -> None:
    say(speak, "my key")
    say(speak, "your key", peer="guest", session="t")
    assert found(speak, "key", filters={"peer_id": "guest"}) == ["your key"]
    assert found(speak, "key", filters=None, path=f"{W}/sessions/t") == ["your key"]
    assert found(speak, "key", path=f"{W}/peers/owner") == ["my key"]
    assert speak("POST", f"{W}/search", {"query": "key", "filters": {"colour": 1}})[0] == 422


def test_another_workspace_is_never_seen(speak: Speak) -> None:
    say(speak, "my key")
    assert found(speak, "key", path="/v3/workspaces/other", filters={"workspace_id": "w"}) == []
