"""One HTTP exchange with a model server: post a body, read the streamed answer (spec 3.4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import httpx

from bxcore.messages.model import Endpoint
from bxcore.model.assembly import Assembly
from bxcore.model.chunk import Chunk
from bxcore.model.nonsense import Nonsense
from bxcore.model.usage import believable
from bxcore.model.values import ModelReply, ModelRequest
from bxcore.retry_after import retry_after_s
from bxio.deadline_http import Cut, TooLong, cutting_client
from bxio.model import errors
from bxio.model.answer_reading import HalfAnAnswer, chunks, error_words
from bxio.model.errors import ModelUnavailable

CONNECT_S = 10.0
"""For a connection; a machine that is gone does not even refuse one."""
TRAILER_S = 2.0
"""For the numbers that come behind the end of an answer; the answer is whole without them."""

RETRIED = frozenset({429, 500, 502, 503, 504})
_CLOSED = ("disconnected", "peer closed")
"""How httpcore says of a peer's end that it came in the middle; its other protocol errors are no HTTP."""


class Retriable(Exception):  # noqa: N818 - never leaves the client
    """The exchange failed before a token came, in a way that a later one may not.

    ``patience`` says that the server asked to be waited for: it loads its model, or named a time.
    """

    def __init__(self, unavailable: ModelUnavailable, *, patience: bool = False) -> None:
        super().__init__(unavailable.sentence)
        self.unavailable = unavailable
        self.patience = patience


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One attempt: the first token by ``first_by_s``, the whole answer by ``deadline_s``, both absolute.

    Between two tokens at most ``stall_s`` may pass.
    """

    endpoint: Endpoint
    first_by_s: float
    deadline_s: float
    cut: Cut
    stall_s: float = 120.0
    began: bool = False

    def run(
        self, request: ModelRequest, body: Mapping[str, Any], on_text: Callable[[str], None]
    ) -> ModelReply:
        """Post and read; raises ``Retriable`` or ``ModelUnavailable``."""
        try:
            with self.client() as client, client.stream("POST", "/chat/completions", json=body) as response:
                if response.status_code != httpx.codes.OK:
                    raise self.refused(response)
                reply = self._read(response, Assembly(request), on_text)
                size = len(response.request.content)
        except (httpx.HTTPError, httpx.InvalidURL, Nonsense, TooLong, HalfAnAnswer) as error:
            raise self.problem(error) from None
        return replace(reply, usage=believable(reply.usage, size))

    def client(self) -> httpx.Client:
        """The client of this exchange, with the first token's deadline."""
        return open_client(self.endpoint, self.first_by_s, self.cut)

    def _read(
        self, response: httpx.Response, assembly: Assembly, on_text: Callable[[str], None]
    ) -> ModelReply:
        """What fails behind an answer's end takes nothing from it."""
        try:
            self._take(chunks(response), assembly, response, on_text)
        except (httpx.TransportError, Nonsense, HalfAnAnswer):
            if self.cut.was_cut or not assembly.is_whole:
                raise
        if not assembly.is_whole:
            raise HalfAnAnswer
        rest, reply = assembly.end()
        if rest:
            on_text(rest)
        return reply

    def _take(
        self,
        answer: Iterable[Chunk],
        assembly: Assembly,
        response: httpx.Response,
        on_text: Callable[[str], None],
    ) -> None:
        grant = response.extensions["network_stream"].extend
        ended = False
        for chunk in answer:
            self.began = self.began or chunk.is_token or bool(chunk.finish)
            if not self.began and time.monotonic() > self.first_by_s:
                raise httpx.ReadTimeout("no first token")
            if shown := assembly.add(chunk):
                on_text(shown)
            if assembly.over:
                return
            if not ended and (chunk.is_token or chunk.finish):
                ended = assembly.is_whole
                wait_s = TRAILER_S if ended else self.stall_s
                grant(min(self.deadline_s, time.monotonic() + wait_s))

    def refused(self, response: httpx.Response) -> ModelUnavailable | Retriable:
        """A "no" with its status; one that a later attempt may turn is told apart."""
        said, status = error_words(response), response.status_code
        rest_s = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC))
        location = response.headers.get("location", "")
        unavailable = errors.refused(self.endpoint, status, said, location=location, rest_s=rest_s)
        if status not in RETRIED or unavailable.fault == "request":
            return unavailable
        return Retriable(unavailable, patience=bool(rest_s) or errors.is_loading(status, said))

    def problem(self, error: Exception) -> ModelUnavailable | Retriable:
        """The failure in a sentence; one before a token may be worth another attempt."""
        if self.cut.was_cut:
            return errors.stopped()
        problem, again = self._named(error)
        problem.began = self.began
        return Retriable(problem) if again and not self.began else problem

    def _named(self, error: Exception) -> tuple[ModelUnavailable, bool]:
        endpoint, again = self.endpoint, False
        match error:
            case httpx.InvalidURL():
                problem = errors.no_host(endpoint)
            case httpx.UnsupportedProtocol():
                problem = errors.no_scheme(endpoint)
            case httpx.ConnectError() | httpx.ConnectTimeout():
                problem, again = errors.not_reached(endpoint, error), True
            case httpx.TimeoutException():
                problem = self._late()
            case Nonsense() | TooLong():
                problem = errors.nonsense(endpoint, error.args[0])
            case httpx.RemoteProtocolError() if not any(word in str(error) for word in _CLOSED):
                problem = errors.no_http(endpoint)
            case _:
                lost = errors.lost_within if self.began else errors.lost_before
                problem, again = lost(endpoint), True
        return problem, again

    def _late(self) -> ModelUnavailable:
        if not self.began:
            return errors.no_first_token(self.endpoint)
        if time.monotonic() < self.deadline_s:
            return errors.stalled(self.endpoint, self.stall_s)
        return errors.not_finished(self.endpoint)


def open_client(endpoint: Endpoint, deadline_s: float, cut: Cut) -> httpx.Client:
    """A client of one exchange with the endpoint; its base is the endpoint's URL."""
    headers = {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    return cutting_client(
        endpoint.url, deadline_s, cut, headers=headers, socket_path=endpoint.socket, connect_s=CONNECT_S
    )
