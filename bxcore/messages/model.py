"""Messages of the model's actor, which owns the embedded server's child process (spec 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.address import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEndpoint:
    """Where to send requests. Asked; the reply is an ``Endpoint`` once the model is ready, or a ``NoModel``.

    While weights are assembled and loaded, ``listener`` is told a ``ModelProgress`` about each step.
    """

    listener: Address[ModelProgress] | None = None
    kind: Literal["get_endpoint"] = "get_endpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildNews:
    """The model's actor tells itself: look at the child process again."""

    kind: Literal["child_news"] = "child_news"


Fault: TypeAlias = Literal["request", "slow", "gone"]
"""Whose fault a failure is: this request's alone, or the server's, which is too slow now or does not work."""

ModelMessage: TypeAlias = GetEndpoint | ChildNews


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
    each later one ``stall_s``. ``table`` is where the owner named it, for sentences that say what to change.
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
    table: str = "[model]"

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, name={self.name!r}, profile={self.profile!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoModel:
    """There is no model to ask; one sentence that says what to do."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """How the model stands, for ``status``; published by its actor, never asked of it."""

    text: str
    ok: bool
