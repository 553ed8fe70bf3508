from __future__ import annotations

import pytest

from bxcore.messages.model import Endpoint
from bxio.model.errors import MAX_SAID, refused, who, words_of

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


@pytest.mark.parametrize("at", [0, 1, MAX_SAID - 30, MAX_SAID - 3])
def test_a_server_s_words_hold_no_secret_wherever_the_cap_cuts(at: int) -> None:
    secret = "sk-proj-" + "A1b2C3d4" * 6
    said = words_of(SERVER, "." * (at - 1) + " " * (at > 0) + secret)
    assert secret[:12] not in said
    assert len(said) <= MAX_SAID


def test_a_server_s_words_move_no_cursor() -> None:
    assert words_of(SERVER, "\x1b[2Jgone\x07\u2028 <|im_start|>") == "[2Jgone  <¦|im_start|>"
