from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from bxio import deadline_http
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoUnavailable, errors
from bxio.honcho.server import BadName, BadToken, HonchoServer, session_path, workspace_path
from tests.doubles import certificate
from tests.doubles.bad_manners import answers
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.loopback import LoopbackServer


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..", "a?b", "é", "x" * 513, "a\n"])
def test_no_url_is_built_of_a_name_that_honcho_does_not_take(name: str) -> None:
    with pytest.raises(BadName):
        workspace_path(name)
    with pytest.raises(BadName):
        session_path("w", name)


def test_a_name_of_512_is_taken() -> None:
    assert workspace_path("x" * 512, "chat") == f"/v3/workspaces/{'x' * 512}/chat"


@pytest.mark.parametrize("token", ["a b", "tökén", "a\nb"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(BadToken) as caught:
        HonchoServer(token=token)
    assert token not in str(caught.value)


def test_a_token_is_never_shown() -> None:
    assert "hush" not in repr(HonchoServer(token="hush"))


def chat(server: HonchoServer) -> str | None:
    return HonchoClient(server).chat("w", "where", time.monotonic() + 20)


def test_a_server_is_reached_by_its_ipv6_address() -> None:
    try:
        server = LoopbackServer(answers(200, {"content": "six"}), host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with server:
        assert chat(HonchoServer(url=server.url)) == "six"
        assert f"host: [::1]:{server.port}".encode() in server.requests[0].lower()


def test_a_prefix_is_kept_over_tls_too(tmp_path: Path) -> None:
    pair = certificate.make(tmp_path)
    with LoopbackServer(answers(200, {"content": "x"}), tls=pair.server) as server:
        assert chat(HonchoServer(url=f"{server.url}/honcho", token="hush", roots=pair.client)) == "x"
        assert server.requests[0].startswith(b"POST /honcho/v3/workspaces/w/chat HTTP/1.1\r\n")
        assert b"authorization: bearer hush" in server.requests[0].lower()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_an_authority_of_ones_own_is_named_in_the_environment(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = certificate.make(tmp_path)
    hashed = tmp_path / "hashed"
    hashed.mkdir()
    shutil.copy(pair.file, hashed / f"{_subject_hash(pair.file)}.0")
    monkeypatch.setenv(variable, str(pair.file if variable == "SSL_CERT_FILE" else hashed))
    monkeypatch.setattr(deadline_http, "trusted_roots", deadline_http.trusted_roots.__wrapped__)
    with LoopbackServer(answers(200, {"content": "x"}), tls=pair.server) as server:
        assert chat(HonchoServer(url=server.url)) == "x"


def _subject_hash(file: Path) -> str:
    said = subprocess.run(
        ["openssl", "x509", "-hash", "-noout", "-in", str(file)],
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    return said.stdout.strip()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
def test_a_proxy_of_the_environment_never_sees_a_question(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LoopbackServer(answers(200, {"content": "proxied"})) as proxy:
        monkeypatch.setenv(variable, proxy.url)
        with LoopbackServer(answers(200, {"content": "straight"})) as server:
            assert chat(HonchoServer(url=server.url)) == "straight"
        assert proxy.accepted == 0


def test_a_password_that_netrc_has_for_the_host_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password hush\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        chat(HonchoServer(url=server.url))
        assert b"authorization" not in server.requests[0].lower()


@pytest.mark.parametrize(
    ("token", "outcome"),
    [
        ("", errors.TokenRefused),
        ("  ", errors.TokenRefused),
        ("wrong", errors.TokenRefused),
        (" right\n", None),
    ],
)
def test_a_server_that_wants_a_token_takes_the_right_one_alone(
    token: str, outcome: type[HonchoUnavailable] | None, tmp_path: Path
) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", workspaces=["w"], token="right")
    with HonchoPort(honcho) as port:
        server = HonchoServer(url=port.url, token=token)
        if outcome is None:
            assert chat(server) is None
        else:
            with pytest.raises(outcome):
                chat(server)
    honcho.close()


def test_each_workspace_is_asked_with_its_own_token() -> None:
    with LoopbackServer(answers(200, {"content": "x"})) as server:
        client = HonchoClient(HonchoServer(url=server.url, token="box1=one.1,box1-untrusted=two.2"))
        for workspace in ("box1", "box1-untrusted", "fleet"):
            client.chat(workspace, "where", time.monotonic() + 20)
        client.ensure_workspace("box1", time.monotonic() + 20)
        sent = [
            [line for line in request.lower().split(b"\r\n") if line.startswith(b"authorization")]
            for request in server.requests
        ]
    assert sent == [
        [b"authorization: bearer one.1"],
        [b"authorization: bearer two.2"],
        [],
        [b"authorization: bearer one.1"],
    ]
