"""Messages of the model's actor, which owns the embedded server's child process (spec 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.address import Address

Fault: TypeAlias = Literal["request", "slow", "gone"]
"""Whose fault a failure is: this request's alone, or the server's, which is too slow now or does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEndpoint:
    """Where to send requests. Asked; the reply is an ``Endpoint`` once a model is ready, or a ``NoModel``.

    While weights are assembled and loaded, ``listener`` is told a ``ModelProgress`` about each step.
    ``using`` is the place of the server that the turn uses: it keeps it while that one is well. ``without``
    are the places of those that have failed this request.
    """

    listener: Address[ModelProgress] | None = None
    using: int | None = None
    without: tuple[int, ...] = ()
    kind: Literal["get_endpoint"] = "get_endpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointFailed:
    """Told by who asked a server in vain: leave it for a while. ``place`` and ``probed`` are the endpoint's.

    ``rest_s`` is how long the server asked to be left alone, None when it did not say.
    """

    place: int
    probed: int
    sentence: str
    fault: Fault
    rest_s: float | None = None
    kind: Literal["endpoint_failed"] = "endpoint_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAsked:
    """The model's actor tells itself: the server at ``place`` has answered what it is, or has not."""

    place: int
    outcome: object
    kind: Literal["server_asked"] = "server_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLoads:
    """Told by who asks the server at ``place`` what it is: it is there, and has not read its model yet."""

    place: int
    text: str
    kind: Literal["server_loads"] = "server_loads"


@dataclass(frozen=True, slots=True, kw_only=True)
class StillAsked:
    """The model's actor tells itself: look whether the server at ``place`` has answered ask ``number``."""

    place: int
    number: int
    kind: Literal["still_asked"] = "still_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class TryAgain:
    """The model's actor tells itself: a server's rest may be over."""

    kind: Literal["try_again"] = "try_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildNews:
    """The model's actor tells itself: look at the child process again."""

    kind: Literal["child_news"] = "child_news"


ModelMessage: TypeAlias = (
    GetEndpoint | EndpointFailed | ServerAsked | ServerLoads | StillAsked | TryAgain | ChildNews
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProgress:
    """One line for the person who waits, such as ``assembling the model's weights, 40 %``."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model server that answers: base ending in ``/v1``, and what is known of it.

    ``profile`` is ``native`` or ``json``; ``socket`` is a unix socket's path, or None for a TCP server;
    ``llama_cpp`` says that the server has llama.cpp's ``/tokenize`` and ``cache_prompt``. The first token
    may take ``first_token_s`` and a second for each ``prompt_tokens_per_s`` that the server has not read yet,
    each later one ``stall_s``. An answer has up to ``answer_tokens``. ``table`` is where the owner named it,
    for sentences that say what to change.
    ``place`` is its place in the owner's order, from 0, and ``probed`` counts how often it was asked what it
    is: the same place and count mean the same server with the same prompts in its cache, as far as is known.
    """

    url: str
    name: str
    profile: Literal["native", "json"]
    api_key: str | None = None
    socket: str | None = None
    context_tokens: int = 4096
    llama_cpp: bool = False
    first_token_s: float = 60.0
    prompt_tokens_per_s: float = 40.0
    stall_s: float = 120.0
    answer_tokens: int = 1024
    table: str = "[model]"
    place: int = 0
    probed: int = 0

    @property
    def answer_room(self) -> int:
        """Tokens that an answer may have: no more than half of the context is for it."""
        return min(self.answer_tokens, self.context_tokens // 2)

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, name={self.name!r}, profile={self.profile!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoModel:
    """There is no model to ask; one sentence that says what to do."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """How one of several models stands: ``label`` is its address, ``text`` says what is with it."""

    label: str
    text: str
    ok: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """How the model stands, for ``status``; published by its actor, never asked of it.

    ``servers`` are all of them in the owner's order when there are several.
    """

    text: str
    ok: bool
    servers: tuple[ServerState, ...] = ()
