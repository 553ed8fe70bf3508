"""The one error of a model server that gives no usable answer, and the sentences it comes with."""

from __future__ import annotations

from bxcore.messages.model import Endpoint
from bxcore.sanitize import one_line, redact

MAX_SAID = 200
"""Characters of a server's own words in a sentence."""


class ModelUnavailable(Exception):  # noqa: N818 - the name the loop and its users speak of
    """No usable answer came from the model; ``sentence`` says what happened and what to do.

    ``status`` is the HTTP status when the server refused, else None.
    """

    def __init__(self, sentence: str, *, status: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


def who(endpoint: Endpoint) -> str:
    """How a sentence names the server."""
    return "the embedded model" if endpoint.socket else f"the model's server at {endpoint.url}"


_ADVICE = {
    401: "it refused the key; check [model] api_key_file",
    403: "it refused the key; check [model] api_key_file",
    404: "nothing answers there; [model] url ends in /v1, and [model] name is one that the server knows",
    413: "the conversation is too long for it; start a new session",
    429: "it takes no more requests now; try again later",
}


def words_of(endpoint: Endpoint, said: str) -> str:
    """A server's own words as a sentence may hold them: one line, ``MAX_SAID`` characters, no secret.

    The secrets go first: a key that the cap has cut may be too short to be known as one.
    """
    without_key = said.replace(endpoint.api_key, "[key]") if endpoint.api_key else said
    return one_line(" ".join(redact(without_key).split()), MAX_SAID).strip()


def refused(endpoint: Endpoint, status: int, said: str) -> ModelUnavailable:
    """The server's own "no": its status, what to do where that is known, and its words without the key."""
    if "context" in said.lower() and status in {400, 500}:
        advice = "the conversation is too long for the model's context; start a new session"
    else:
        advice = _ADVICE.get(status, "look at its log")
    words = words_of(endpoint, said)
    quoted = f' ("{words}")' if words else ""
    return ModelUnavailable(f"{who(endpoint)} answered {status}: {advice}{quoted}", status=status)
