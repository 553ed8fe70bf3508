from __future__ import annotations

import pytest

from bxcore.messages.model import Endpoint
from bxio.model.llama_cpp import context_tokens, count_tokens
from tests.doubles.model_server import ModelServer


def endpoint(server: ModelServer) -> Endpoint:
    return Endpoint(url=server.url, name="m", profile="native")


def test_a_server_of_llama_cpp_s_tells_its_tokens_and_context() -> None:
    with ModelServer(tokenizer=True, context_tokens=16_384) as server:
        assert count_tokens(endpoint(server), "a b c") == 3
        assert context_tokens(endpoint(server)) == 16_384
        assert [seen.path for seen in server.seen] == ["/tokenize", "/props"]


def test_another_server_tells_none_of_them_and_nothing_fails() -> None:
    with ModelServer() as server:
        assert count_tokens(endpoint(server), "a b") is None
        assert context_tokens(endpoint(server)) is None


@pytest.mark.parametrize("url", ["http://xn--a/v1", "http://[::1/v1"])
def test_a_host_that_cannot_be_tells_none_of_them_and_nothing_fails(url: str) -> None:
    nowhere = Endpoint(url=url, name="m", profile="native")
    assert count_tokens(nowhere, "a b") is None
    assert context_tokens(nowhere) is None
