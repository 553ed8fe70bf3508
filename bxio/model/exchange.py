"""One HTTP exchange with a model server: post a body, read the streamed answer (spec 3.4)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from bxcore.messages.model import Endpoint
from bxcore.model.assembly import Assembly
from bxcore.model.chunk import DONE, Chunk, read_chunk
from bxcore.model.event_stream import EventStream
from bxcore.model.nonsense import Nonsense
from bxcore.model.values import ModelReply, ModelRequest
from bxio.deadline_http import Cut, TooLong, cutting_client, read_capped
from bxio.model.errors import ModelUnavailable, refused, who, words_of

MAX_ERROR = 65_536
MAX_WHOLE = 4 << 20
"""Bytes read of an error and of an answer that is not streamed."""

RETRIED = frozenset({429, 500, 502, 503, 504})


class Retriable(Exception):  # noqa: N818 - never leaves the client
    """The exchange failed before a token came, in a way that a later one may not."""

    def __init__(self, unavailable: ModelUnavailable) -> None:
        super().__init__(unavailable.sentence)
        self.unavailable = unavailable


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One attempt: the first token by ``first_by_s``, the whole answer by ``deadline_s``, both absolute."""

    endpoint: Endpoint
    first_by_s: float
    deadline_s: float
    cut: Cut
    began: bool = False

    def run(
        self, request: ModelRequest, body: Mapping[str, Any], on_text: Callable[[str], None]
    ) -> ModelReply:
        """Post and read; raises ``Retriable`` or ``ModelUnavailable``."""
        try:
            with self._client() as client, client.stream("POST", "/chat/completions", json=body) as response:
                if response.status_code != httpx.codes.OK:
                    raise self._refused(response)
                return self._read(response, Assembly(request), on_text)
        except httpx.InvalidURL:
            sentence = f"{self.endpoint.url} holds no host that can be asked; check [model] url"
            raise ModelUnavailable(sentence) from None
        except httpx.TimeoutException:
            raise ModelUnavailable(self._late()) from None
        except httpx.TransportError as error:
            raise self._broken(error) from None
        except (Nonsense, TooLong) as error:
            said = words_of(self.endpoint, error.args[0])
            sentence = f"{who(self.endpoint)} answered with {said}; check [model] url, or look at its log"
            raise ModelUnavailable(sentence) from None

    def _client(self) -> httpx.Client:
        return open_client(self.endpoint, self.first_by_s, self.cut)

    def _read(
        self, response: httpx.Response, assembly: Assembly, on_text: Callable[[str], None]
    ) -> ModelReply:
        for chunk in _chunks(response):
            if not self.began and (chunk.is_token or chunk.finish):
                self.began = True
                response.extensions["network_stream"].extend(self.deadline_s)
            if not self.began and time.monotonic() > self.first_by_s:
                raise httpx.ReadTimeout("no first token")
            if shown := assembly.add(chunk):
                on_text(shown)
        if not assembly.is_whole:
            raise httpx.RemoteProtocolError("the answer has no end")
        rest, reply = assembly.end()
        if rest:
            on_text(rest)
        return reply

    def _refused(self, response: httpx.Response) -> Exception:
        said = _error_words(response)
        unavailable = refused(self.endpoint, response.status_code, said)
        return Retriable(unavailable) if response.status_code in RETRIED else unavailable

    def _late(self) -> str:
        if self.began:
            return f"{who(self.endpoint)} did not finish its answer in time; ask for less at once"
        advice = "look at its load, or raise [model] first_token_s"
        return f"{who(self.endpoint)} gave no first token in time; {advice}"

    def _broken(self, error: httpx.TransportError) -> Exception:
        if self.cut.was_cut:
            return ModelUnavailable("the request to the model was stopped")
        if self.began:
            return ModelUnavailable(f"{who(self.endpoint)} ended the connection in the middle of its answer")
        if isinstance(error, httpx.ConnectError):
            problem = f"{who(self.endpoint)} cannot be reached ({error}); start it, or check [model] url"
        elif isinstance(error, httpx.UnsupportedProtocol):
            return ModelUnavailable(f"{self.endpoint.url} is no http or https address; check [model] url")
        else:
            problem = f"{who(self.endpoint)} ended the connection before it answered; look at its log"
        return Retriable(ModelUnavailable(problem))


def open_client(endpoint: Endpoint, deadline_s: float, cut: Cut) -> httpx.Client:
    """A client of one exchange with the endpoint; its base is the endpoint's URL."""
    headers = {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    return cutting_client(endpoint.url, deadline_s, cut, headers=headers, socket_path=endpoint.socket)


def _error_words(response: httpx.Response) -> str:
    """What the server said: its error's message, or its text unless that is a web page."""
    try:
        text = read_capped(response, MAX_ERROR).decode("utf-8", "replace")
    except TooLong:
        return ""
    try:
        error = json.loads(text).get("error")
        return str(error["message"] if isinstance(error, dict) else error or text)
    except (ValueError, RecursionError, AttributeError, KeyError):
        return "" if text.lstrip().startswith("<") else text


def _chunks(response: httpx.Response) -> Iterator[Chunk]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        yield read_chunk(read_capped(response, MAX_WHOLE).decode("utf-8", "replace"))
        return
    if kind != "text/event-stream":
        raise Nonsense(f"{kind or 'no content type'} in place of an event stream")
    stream = EventStream()
    for piece in response.iter_raw():
        for data in stream.feed(piece):
            if data.strip() == DONE:
                yield Chunk(done=True)
                return
            yield read_chunk(data)
        yield Chunk()  # the deadline is looked at for comments too: a server's pings are no token
    for data in stream.end():
        yield Chunk(done=True) if data.strip() == DONE else read_chunk(data)
