from __future__ import annotations

import time
from pathlib import Path

import pytest

from bxio.honcho import HonchoClient, HonchoServer, HonchoUnavailable, errors
from tests.doubles import bad_manners, certificate
from tests.doubles.bad_manners import answers
from tests.doubles.loopback import LoopbackServer

LONG_S = 20.0


def failure(server: HonchoServer) -> HonchoUnavailable:
    with pytest.raises(HonchoUnavailable) as caught:
        HonchoClient(server).chat("w", "where is the marmalade", time.monotonic() + LONG_S)
    return caught.value


def test_a_closed_port_refuses_the_connection() -> None:
    with LoopbackServer(answers(200, {})) as server:
        url = server.url
    refused = failure(HonchoServer(url=url))
    assert type(refused) is errors.ConnectionRefused
    assert str(refused) == "the connection was refused"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64 + ".invalid"])
def test_a_name_without_an_address_is_not_found(host: str) -> None:
    unknown = failure(HonchoServer(url=f"http://{host}:8000"))
    assert type(unknown) is errors.NoSuchHost
    assert str(unknown) == "the host's name was not found"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_says_so(status: int) -> None:
    with LoopbackServer(answers(200, {"content": "stolen"})) as elsewhere:
        moved = answers(status, b"", headers={"location": f"{elsewhere.url}/v3/workspaces/w/chat"})
        with LoopbackServer(moved) as server:
            redirected = failure(HonchoServer(url=server.url, token="hush"))
        assert elsewhere.requests == []
    assert type(redirected) is errors.Redirected
    assert str(redirected) == f"{status}, a redirect, which is not followed"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_how_long_a_server_wants_to_be_left_alone_is_kept(status: int) -> None:
    with LoopbackServer(answers(status, {"detail": "x"}, headers={"retry-after": "17"})) as server:
        assert failure(HonchoServer(url=server.url)).retry_after_s == 17.0
    with LoopbackServer(answers(status, {"detail": "x"})) as server:
        assert failure(HonchoServer(url=server.url)).retry_after_s is None


def over_tls(folder: Path, *, holder: str = "IP:127.0.0.1", over: bool = False) -> HonchoUnavailable:
    """What is said of a server whose certificate is of an authority that the box trusts."""
    pair = certificate.make(folder, holder=holder, over=over)
    with LoopbackServer(answers(200, {"content": "x"}), tls=pair.server) as server:
        failed = failure(HonchoServer(url=server.url, roots=pair.client))
        assert server.requests == []
    return failed


def test_a_certificate_for_another_name_says_so(tmp_path: Path) -> None:
    failed = over_tls(tmp_path, holder="DNS:honcho.example")
    assert type(failed) is errors.NotTrusted
    assert str(failed) == "the server's certificate is for another name"


def test_a_certificate_that_is_over_says_so(tmp_path: Path) -> None:
    failed = over_tls(tmp_path, over=True)
    assert type(failed) is errors.NotTrusted
    assert str(failed) == "the server's certificate is not valid at this time"


def test_a_certificate_of_nobody_is_not_trusted(tmp_path: Path) -> None:
    pair = certificate.make(tmp_path)
    with LoopbackServer(answers(200, {"content": "x"}), tls=pair.server) as server:
        failed = failure(HonchoServer(url=server.url))
        assert type(failed) is errors.NotTrusted
        assert str(failed) == "the server's certificate is not trusted"
        trusting = HonchoClient(HonchoServer(url=server.url, roots=pair.client))
        assert trusting.chat("w", "x", time.monotonic() + LONG_S) == "x"


def test_https_to_a_server_that_speaks_plain_http_says_so() -> None:
    with LoopbackServer(bad_manners.speaks_at_once) as server:
        failed = failure(HonchoServer(url=server.url.replace("http:", "https:")))
    assert type(failed) is errors.NoTls
    assert str(failed) == "the server does not speak TLS as it should"
