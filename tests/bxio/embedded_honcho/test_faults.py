from __future__ import annotations

import time
from pathlib import Path

import pytest

from bxio.embedded_honcho import EmbeddedHoncho, Faults
from tests.bxio.conftest import send, speaker

S = "/v3/workspaces/w/sessions/s/messages"


def batch(content: str) -> dict[str, object]:
    return {"messages": [{"peer_id": "p", "content": "fine"}, {"peer_id": "p", "content": content}]}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("<|endoftext|>", 422),
        ("<|endofprompt|>", 422),
        ("<|fim_prefix|>", 500),
        ("\ud800", 500),
        ("<|im_start|>", 201),
    ],
)
def test_poison_fails_the_whole_append(tmp_path: Path, content: str, status: int) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", faults=Faults(poison=True, close_after_500=True))
    answer = send(honcho, "POST", S, batch(content))
    assert (answer.status, answer.close) == (status, status == 500)
    total = speaker(honcho)("POST", f"{S}/list")[1]["total"]
    assert total == (2 if status == 201 else 0)
    honcho.close()


def test_poison_is_fine_in_a_question(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", faults=Faults(poison=True))
    send(honcho, "POST", S, batch("x"))
    assert send(honcho, "POST", "/v3/workspaces/w/chat", {"query": "<|endoftext|>"}).status == 200
    assert send(honcho, "POST", "/v3/workspaces/w/search", {"query": "<|endoftext|>"}).status == 422
    honcho.close()


def test_without_the_modes_nothing_is_poison(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite")
    assert send(honcho, "POST", S, batch("<|endoftext|><|fim_prefix|>")).status == 201
    honcho.close()


def test_the_first_chat_alone_is_slow_and_not_beyond_the_deadline(tmp_path: Path) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", faults=Faults(slow_first_chat_s=0.4))
    send(honcho, "POST", S, batch("x"))
    took = []
    for _ in range(2):
        began_s = time.monotonic()
        send(honcho, "POST", "/v3/workspaces/w/chat", {"query": "x"})
        took.append(time.monotonic() - began_s)
    assert took[0] >= 0.4 > took[1]
    honcho.close()
