from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bxcore.honcho_health import Health
from bxcore.quoting import Passage
from bxio.cut import Cut
from bxio.embedded_honcho import EmbeddedHoncho, Faults
from bxio.honcho import HonchoClient, HonchoServer, NewMessage
from bxio.honcho.probing import Finding, probe
from tests.doubles import bad_manners, certificate
from tests.doubles.bad_manners import answers
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.loopback import Connection, Handler, LoopbackServer

LONG_S = 20.0
PAGE = b"<!doctype html><html><body>Bad gateway</body></html>"


def soon() -> float:
    return time.monotonic() + LONG_S


def found(url: str, workspace: str = "w", *, token: str = "", deadline_s: float | None = None) -> Finding:
    client = HonchoClient(HonchoServer(url=url, token=token))
    return probe(client, workspace, soon() if deadline_s is None else deadline_s, Cut())


class Kept:
    """An embedded server on a port, with a model that must not be asked."""

    def __init__(self, folder: Path, *, token: str = "", faults: Faults | None = None) -> None:
        self.asked = 0
        self.honcho = EmbeddedHoncho(
            folder / "honcho.sqlite",
            self._answer,
            workspaces=["there"],
            token=token,
            faults=faults or Faults(),
        )

    def _answer(self, question: str, passages: Sequence[Passage], deadline_s: float) -> str | None:
        del question, passages, deadline_s
        self.asked += 1
        return "asked"

    def say(self, workspace: str, token: str = "") -> None:
        client = HonchoClient(HonchoServer(transport=self.honcho.transport, token=token))
        client.append(
            workspace, "s", [NewMessage(peer="ann", content="Anybody may have the key; it is there.")], soon()
        )

    def everything(self) -> object:
        """All that is in the database, to see that nothing was made."""
        with self.honcho._database.transaction(5) as tx:
            return {
                table: [tuple(row) for row in tx.execute(f"SELECT * FROM {table}")]
                for table in ("workspaces", "peers", "sessions", "members", "messages")
            }


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    server = Kept(tmp_path)
    yield server
    server.honcho.close()


def test_a_workspace_in_use_is_fine(kept: Kept) -> None:
    kept.say("there")
    with HonchoPort(kept.honcho) as port:
        assert found(port.url, "there").health is Health.FINE


def test_a_workspace_without_a_word_is_empty(kept: Kept) -> None:
    with HonchoPort(kept.honcho) as port:
        assert found(port.url, "there").health is Health.EMPTY


def test_a_workspace_that_does_not_exist_is_told_from_an_empty_one(kept: Kept) -> None:
    with HonchoPort(kept.honcho) as port:
        missing = found(port.url, "nowhere")
    assert missing == Finding(health=Health.NO_SUCH_WORKSPACE, detail="404, no such workspace")


@pytest.mark.parametrize("workspace", ["there", "nowhere"])
def test_a_probe_makes_nothing_and_asks_no_model(kept: Kept, workspace: str) -> None:
    kept.say("there")
    before = kept.everything()
    with HonchoPort(kept.honcho) as port:
        found(port.url, workspace)
    assert kept.everything() == before
    assert kept.asked == 0


@pytest.mark.parametrize("workspace", ["there", "nowhere"])
def test_a_server_from_before_workspace_chat_is_too_old(tmp_path: Path, workspace: str) -> None:
    kept = Kept(tmp_path, faults=Faults(no_workspace_chat=True))
    kept.say("there")
    before = kept.everything()
    with HonchoPort(kept.honcho) as port:
        old = found(port.url, workspace)
    assert old == Finding(health=Health.TOO_OLD, detail="404, no workspace chat on this server")
    assert kept.everything() == before
    kept.honcho.close()


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("workspace", ["there", "nowhere"])
@pytest.mark.parametrize(
    ("token", "detail"),
    [
        ("", "401, the server wants a token and none is configured"),
        ("wrong", "401, the token was refused"),
    ],
)
def test_a_refused_token_is_told_before_anything_else(
    tmp_path: Path, token: str, detail: str, workspace: str, *, old: bool
) -> None:
    kept = Kept(tmp_path, token="right", faults=Faults(no_workspace_chat=old))
    with HonchoPort(kept.honcho) as port:
        refused = found(port.url, workspace, token=token)
        assert refused == Finding(health=Health.TOKEN_REFUSED, detail=detail)
        assert found(port.url, "there", token="right").health is (Health.TOO_OLD if old else Health.EMPTY)
    kept.honcho.close()


def endless(connection: Connection) -> None:
    """Sends as much as is taken."""
    connection.read_request()
    connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(1000):
        connection.send(b"[" * 65_536)


UNREACHABLE: list[tuple[Handler, str]] = [
    (answers(302, b"", headers={"location": "/login"}), "302, a redirect, which is not followed"),
    (bad_manners.resets, "the connection was reset"),
    (bad_manners.hangs_up, "the connection was reset"),
]
NO_HONCHO: list[tuple[Handler, str]] = [
    (answers(404, {"detail": "Not Found"}), "404, no such route on this server"),
    (answers(404, PAGE), "404, no such route on this server"),
    (answers(200, PAGE), "200, the answer is not JSON"),
    (answers(200, {"content": "hello"}), "the answer has the wrong shape"),
    (answers(200, {}), "the answer has the wrong shape"),
    (answers(204, b""), "the answer has the wrong shape"),
    (answers(405, {"detail": "Method Not Allowed"}), "405, an unexpected status"),
    (bad_manners.speaks_no_http, "the answer is not HTTP"),
    (endless, "200, the answer is too long"),
]


@pytest.mark.parametrize(
    ("handler", "detail"), UNREACHABLE, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_gives_no_answer_is_unreachable_and_says_why(handler: Handler, detail: str) -> None:
    with LoopbackServer(handler) as server:
        assert found(server.url) == Finding(health=Health.UNREACHABLE, detail=detail)


@pytest.mark.parametrize(
    ("handler", "detail"), NO_HONCHO, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_answers_and_is_no_honcho_says_what_it_does(handler: Handler, detail: str) -> None:
    with LoopbackServer(handler) as server:
        assert found(server.url) == Finding(health=Health.NO_HONCHO, detail=detail)


def test_an_answer_that_begins_and_never_ends_is_no_silence() -> None:
    with LoopbackServer(bad_manners.half_open) as server:
        odd = found(server.url, deadline_s=time.monotonic() + 0.3)
    assert odd.health is Health.NO_HONCHO
    assert re.fullmatch(r"an answer that did not end in \d{1,3} ms", odd.detail)


@pytest.mark.parametrize("token", ["", "mine"])
def test_a_403_is_not_told_as_a_401(token: str) -> None:
    with LoopbackServer(answers(403, {"detail": "Forbidden"})) as server:
        assert found(server.url, token=token) == Finding(
            health=Health.TOKEN_REFUSED, detail="403, access is forbidden"
        )


def test_nobody_at_the_address_is_unreachable_in_each_of_its_ways(tmp_path: Path) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        url, silent = server.url, found(server.url, deadline_s=time.monotonic() + 0.1)
    assert silent.health is Health.UNREACHABLE
    assert re.fullmatch(r"no answer in \d{1,3} ms", silent.detail)
    refused, unknown = found(url), found("http://no-such-host.invalid:8000")
    assert (refused.health, refused.detail) == (Health.UNREACHABLE, "the connection was refused")
    assert (unknown.health, unknown.detail) == (Health.UNREACHABLE, "the host's name was not found")
    pair = certificate.make(tmp_path)
    with LoopbackServer(answers(200, {}), tls=pair.server) as server:
        strange = found(server.url)
    assert (strange.health, strange.detail) == (Health.UNREACHABLE, "the server's certificate is not trusted")


@pytest.mark.parametrize(
    ("handler", "detail"),
    [
        (answers(500, {"detail": "An unexpected error occurred"}), "500, the server failed"),
        (answers(502, PAGE), "502, a proxy answered and its server did not"),
        (answers(429, {"detail": "slow down"}), "429, too many requests"),
        (answers(422, {"detail": []}), "422, what was sent is refused"),
    ],
)
def test_a_server_that_fails_is_reached_and_failing(handler: Handler, detail: str) -> None:
    with LoopbackServer(handler) as server:
        assert found(server.url) == Finding(health=Health.FAILING, detail=detail)


def by_path(**routes: tuple[int, object]) -> Handler:
    """Answer by the last word of the path."""

    def handle(connection: Connection) -> None:
        path = connection.read_request().split(b" ")[1].partition(b"?")[0].rpartition(b"/")[2].decode()
        status, body = routes[path]
        data = json.dumps(body).encode()
        connection.send(b"HTTP/1.1 %d Said\r\ncontent-length: %d\r\n\r\n%b" % (status, len(data), data))

    return handle


NO_SESSION = (404, {"detail": "Session x not found in workspace w"})


def test_a_server_whose_search_fails_is_failing_though_all_else_answers() -> None:
    broken = by_path(chat=NO_SESSION, list=(200, {"items": [], "total": 3}), search=(500, {"detail": "x"}))
    with LoopbackServer(broken) as server:
        assert found(server.url) == Finding(health=Health.FAILING, detail="500, the server failed")


def test_a_later_server_that_answers_the_chat_all_the_same_is_fine() -> None:
    """It does not mind the unknown session; its further keys are let pass."""
    chat = (200, {"content": "no", "evidence": {"messages": []}})
    later = by_path(chat=chat, list=(200, {"total": 3, "items": [{}], "next": None}), search=(200, []))
    with LoopbackServer(later) as server:
        assert found(server.url).health is Health.FINE


def test_one_deadline_is_for_all_the_requests() -> None:
    def slow(connection: Connection) -> None:
        request = connection.read_request()
        connection.wait(0.2)
        data = json.dumps(NO_SESSION[1] if b"/chat " in request else {"total": 1, "items": []}).encode()
        status = 404 if b"/chat " in request else 200
        connection.send(b"HTTP/1.1 %d Said\r\ncontent-length: %d\r\n\r\n%b" % (status, len(data), data))

    with LoopbackServer(slow) as server:
        began_s = time.monotonic()
        late = found(server.url, deadline_s=began_s + 0.3)
        assert time.monotonic() - began_s < 1.0
        assert late.health is Health.UNREACHABLE
        assert len(server.requests) == 2
