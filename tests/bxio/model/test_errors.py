from __future__ import annotations

from bxcore.messages.model import Endpoint
from bxio.model.errors import MAX_SAID, refused, who

SERVER = Endpoint(url="http://127.0.0.1:1/v1", name="m", profile="native", api_key="sk-1")


def test_the_embedded_model_is_not_named_by_its_socket() -> None:
    embedded = Endpoint(url="http://model/v1", name="m", profile="json", socket="/run/x.sock")
    assert who(embedded) == "the embedded model"
    assert who(SERVER) == "the model's server at http://127.0.0.1:1/v1"


def test_a_refusal_quotes_the_server_in_one_short_line_without_the_key() -> None:
    problem = refused(SERVER, 418, "I am\na teapot, sk-1 " + "x" * 999)
    assert problem.status == 418
    assert problem.sentence.startswith(
        "the model's server at http://127.0.0.1:1/v1 answered 418: look at its log (\"I am a teapot, [key] x"
    )
    assert len(problem.sentence) < MAX_SAID + 100


def test_a_server_that_says_nothing_is_not_quoted() -> None:
    assert refused(SERVER, 500, " ").sentence.endswith("answered 500: look at its log")
