from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import zlib

import pytest

from bxio.honcho import HonchoClient, HonchoServer, errors
from bxio.honcho.exchange import MAX_BODY
from tests.doubles.bad_manners import answers
from tests.doubles.loopback import LoopbackServer

ANSWER = json.dumps({"content": "in the larder " * 50}).encode()


def chat(body: bytes, encoding: str) -> str | None:
    headers = {"content-encoding": encoding}
    with LoopbackServer(answers(200, body, headers=headers)) as server:
        client = HonchoClient(HonchoServer(url=server.url))
        said = client.chat("w", "x", time.monotonic() + 20)
        assert b"accept-encoding: identity" in server.requests[0].lower()
        return said


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip"])
def test_an_answer_that_a_proxy_packed_is_read(encoding: str) -> None:
    assert chat(gzip.compress(ANSWER), encoding) == "in the larder " * 50


def test_an_answer_that_says_it_is_not_packed_is_read() -> None:
    assert chat(ANSWER, "identity") == "in the larder " * 50


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(ANSWER)[:-9], "gzip"),
        (ANSWER, "gzip"),
        (b"", "gzip"),
        (zlib.compress(ANSWER), "deflate"),
        (ANSWER, "br"),
        (gzip.compress(gzip.compress(ANSWER)), "gzip, gzip"),
    ],
)
def test_what_cannot_be_unpacked_is_no_answer(body: bytes, encoding: str) -> None:
    with pytest.raises(errors.NotJson):
        chat(body, encoding)


def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked() -> None:
    bomb = gzip.compress(b'{"content":"' + b"a" * (64 * MAX_BODY) + b'"}', compresslevel=9)
    assert len(bomb) < MAX_BODY / 10
    tracemalloc.start()
    try:
        with pytest.raises(errors.AnswerTooLong):
            chat(bomb, "gzip")
        assert tracemalloc.get_traced_memory()[1] < 8 * MAX_BODY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_cap_is_on_what_was_unpacked(encoding: str) -> None:
    def sent(size: int) -> bytes:
        body = b'{"content":"%b"}' % (b"a" * (size - 14))
        return gzip.compress(body) if encoding == "gzip" else body

    assert len(chat(sent(MAX_BODY), encoding) or "") == MAX_BODY - 14
    with pytest.raises(errors.AnswerTooLong):
        chat(sent(MAX_BODY + 1), encoding)
