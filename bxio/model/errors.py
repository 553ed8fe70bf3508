"""The one error of a model server that gives no usable answer, and the sentences it comes with (spec 3.4).

``docs/model.md`` lists them all, with what each means.
"""

from __future__ import annotations

from bxcore.messages.model import Endpoint, Fault
from bxcore.sanitize import one_line, redact

MAX_SAID = 200
"""Characters of a server's own words in a sentence."""


class ModelUnavailable(Exception):  # noqa: N818 - the name the loop and its users speak of
    """No usable answer came from the model; ``sentence`` says what happened and what to do.

    ``status`` is the HTTP status when the server refused, else None. ``fault`` says whether another request
    may fare better with this server, ``rest_s`` for how long it asked to be left alone. ``began`` is true
    once a token came: then nobody else is asked.
    """

    def __init__(
        self, sentence: str, *, status: int | None = None, fault: Fault = "gone", rest_s: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.fault = fault
        self.rest_s = rest_s
        self.began = False


def who(endpoint: Endpoint) -> str:
    """How a sentence names the server."""
    return "the embedded model" if endpoint.socket else f"the model's server at {endpoint.url}"


def words_of(endpoint: Endpoint, said: str) -> str:
    """A server's own words as a sentence may hold them: one line, ``MAX_SAID`` characters, no secret.

    The secrets go first: a key that the cap has cut may be too short to be known as one.
    """
    without_key = said.replace(endpoint.api_key, "[key]") if endpoint.api_key else said
    return one_line(" ".join(redact(without_key).split()), MAX_SAID).strip()


def stopped() -> ModelUnavailable:
    """The person, or the box, ended it."""
    return ModelUnavailable("the request to the model was stopped", fault="request")


def no_host(endpoint: Endpoint) -> ModelUnavailable:
    """The URL names no host that could exist."""
    return ModelUnavailable(f"{endpoint.url} holds no host that can be asked; check {endpoint.table} url")


def no_scheme(endpoint: Endpoint) -> ModelUnavailable:
    """The URL is of another kind."""
    return ModelUnavailable(f"{endpoint.url} is no http or https address; check {endpoint.table} url")


def not_reached(endpoint: Endpoint, why: object) -> ModelUnavailable:
    """No connection came about."""
    advice = f"start it, or check {endpoint.table} url"
    return ModelUnavailable(f"{who(endpoint)} cannot be reached ({why}); {advice}")


def no_http(endpoint: Endpoint) -> ModelUnavailable:
    """Something answers there that is no web server, or one whose headers are past all bounds."""
    return ModelUnavailable(f"{who(endpoint)} speaks no HTTP that can be read; check {endpoint.table} url")


def lost_before(endpoint: Endpoint) -> ModelUnavailable:
    """The connection ended before a token."""
    return ModelUnavailable(f"{who(endpoint)} ended the connection before it answered; look at its log")


def lost_within(endpoint: Endpoint) -> ModelUnavailable:
    """The connection ended after a token and before the end."""
    advice = "look at its log, then say it again"
    return ModelUnavailable(f"{who(endpoint)} ended the connection in the middle of its answer; {advice}")


def silent(endpoint: Endpoint, wait_s: float) -> ModelUnavailable:
    """Connected, and no answer to the small question which models there are."""
    advice = f"look at its load, or check {endpoint.table} url"
    return ModelUnavailable(f"{who(endpoint)} gave no answer within {wait_s:g} s; {advice}", fault="slow")


def no_first_token(endpoint: Endpoint) -> ModelUnavailable:
    """Connected, and not a token."""
    advice = f"look at its load, or raise {endpoint.table} first_token_s"
    return ModelUnavailable(f"{who(endpoint)} gave no first token in time; {advice}", fault="slow")


def stalled(endpoint: Endpoint, stall_s: float) -> ModelUnavailable:
    """Tokens came, and then no more."""
    advice = f"look at its load, or raise {endpoint.table} stall_s"
    sentence = f"{who(endpoint)} stood still for {stall_s:g} s in the middle of its answer; {advice}"
    return ModelUnavailable(sentence, fault="slow")


def not_finished(endpoint: Endpoint) -> ModelUnavailable:
    """Tokens came until the whole answer's time was over."""
    sentence = f"{who(endpoint)} did not finish its answer in time; ask for less at once"
    return ModelUnavailable(sentence, fault="request")


def nonsense(endpoint: Endpoint, said: str) -> ModelUnavailable:
    """An answer that is none; ``said`` names what it is instead."""
    words = words_of(endpoint, said)
    advice = f"check {endpoint.table} url, or look at its log"
    return ModelUnavailable(f"{who(endpoint)} answered with {words}; {advice}")


def refused(
    endpoint: Endpoint, status: int, said: str, *, location: str = "", rest_s: float | None = None
) -> ModelUnavailable:
    """The server's own "no": its status, what to do where that is known, and its words without the key.

    ``location`` is where it sends the request instead, ``rest_s`` for how long it asks to be left alone.
    """
    words = words_of(endpoint, said)
    quoted = f' ("{words}")' if words else ""
    advice = _advice(endpoint, status, said, words_of(endpoint, location))
    rest = f"; it asks to be left alone for {rest_s:g} s" if rest_s else ""
    sentence = f"{who(endpoint)} answered {status}: {advice}{rest}{quoted}"
    return ModelUnavailable(sentence, status=status, fault=_fault(status, said), rest_s=rest_s)


def in_another_profile(problem: ModelUnavailable, begun: str) -> ModelUnavailable:
    """The server refused a request whose session was ``begun`` in a profile that is not the server's."""
    sentence = f"{problem.sentence}; this session was begun in the {begun} profile, a new one will fit it"
    return ModelUnavailable(sentence, status=problem.status, fault="request")


def is_loading(status: int, said: str) -> bool:
    """Whether the server is there and has not read its model yet."""
    return status == _UNAVAILABLE and "loading" in said.lower()


_UNAVAILABLE, _BUSY = 503, 429
_NOT_SO = frozenset({400, 413, 422})
"""The server works and cannot do this one request."""


def _fault(status: int, said: str) -> Fault:
    if status in _NOT_SO or _too_long(status, said):
        return "request"
    return "slow" if status == _BUSY or is_loading(status, said) else "gone"


def _too_long(status: int, said: str) -> bool:
    return "context" in said.lower() and status in {400, 500}


def _advice(endpoint: Endpoint, status: int, said: str, location: str) -> str:
    if _too_long(status, said):
        return "the conversation is too long for the model's context; start a new session"
    if is_loading(status, said):
        return "it is still loading its model; try again in a moment"
    if 300 <= status < 400:  # noqa: PLR2004 - the redirects
        elsewhere = f" to {location}" if location else " elsewhere"
        return f"it sends requests{elsewhere}; set {endpoint.table} url to the address that answers itself"
    return _ADVICE.get(status, "look at its log").format(table=endpoint.table)


_ADVICE = {
    401: "it refused the key; check {table} api_key_file",
    402: "it wants to be paid; look at your account there",
    403: "it refused the key; check {table} api_key_file",
    404: "nothing answers there; {table} url ends in /v1, and {table} name is one that the server knows",
    405: "it takes no chats there; check {table} url, which ends in /v1",
    413: "the conversation is too long for it; start a new session",
    429: "it takes no more requests now; try again later",
    502: "the proxy before it got no answer; look whether the server itself runs",
    504: "the proxy before it waited in vain; look whether the server itself runs",
}
