from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from bxio.fetch.errors import FetchError
from tests.doubles.far_place import dialer, get, says
from tests.doubles.loopback import LoopbackServer


def packed(coding: str, body: bytes, max_bytes: int = 100_000) -> tuple[bytes, bool, int | None]:
    with LoopbackServer(says("200 Fine", f"content-encoding: {coding}", body=body)) as server:
        fetched = get(f"http://far.example:{server.port}/", dialer(), max_bytes=max_bytes)
    return fetched.body, fetched.cut, fetched.length


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZIP"])
def test_what_comes_compressed_all_the_same_is_unpacked(coding: str) -> None:
    assert packed(coding, gzip.compress(b"hello")) == (b"hello", False, None)
    assert packed("deflate", zlib.compress(b"hello")) == (b"hello", False, None)


def test_a_bomb_is_unpacked_no_further_than_wanted() -> None:
    bomb = gzip.compress(bytes(40_000_000), 6)
    tracemalloc.start()
    try:
        body, cut, _ = packed("gzip", bomb, 5000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(body), cut) == (5000, True)
    assert peak < 10_000_000


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "nonsense"])
def test_an_unknown_compression_is_refused(coding: str) -> None:
    with pytest.raises(FetchError, match="compression that was not asked for"):
        packed(coding, b"hello")


def test_a_broken_compression_is_refused() -> None:
    with pytest.raises(FetchError, match="broken compression"):
        packed("gzip", b"hello")


def test_a_header_in_utf_8_is_read_as_such_and_any_other_too() -> None:
    with LoopbackServer(says("200 Fine", "x-name: ü")) as server:
        assert ("x-name", "ü") in get(f"http://far.example:{server.port}/", dialer()).headers


def test_an_answer_without_a_place_to_go_is_an_answer() -> None:
    with LoopbackServer(says("302 Over There", body=b"words")) as server:
        assert get(f"http://far.example:{server.port}/", dialer()).status == 302
