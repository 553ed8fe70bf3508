"""Finding out about a model server: which tool profile it takes, its context, its tokenizer (spec 3.4)."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Literal

from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest, Profile, UserMessage
from bxio.deadline_http import Cut
from bxio.model.client import ModelClient, pause
from bxio.model.errors import ModelUnavailable, who
from bxio.model.exchange import Retriable
from bxio.model.listed import Listed, listed
from bxio.model.llama_cpp import context_tokens

LOADING_S = 90.0
LOADING_LOOK_S = 0.5
PROBE_S = 90.0
MAX_TOKENS = 512
"""Enough for a model that thinks before it calls."""

_TOOL = {
    "description": "The date and time now.",
    "name": "clock",
    "parameters": {"additionalProperties": False, "properties": {}, "type": "object"},
}
_SYSTEM = {"role": "system", "content": "Use the tool clock to answer."}


def describe(
    endpoint: Endpoint,
    *,
    profile: Literal["auto", "native", "json"],
    configured_context: int | None,
    cut: Cut,
    on_wait: Callable[[str], object] = lambda _text: None,
) -> Endpoint:
    """The endpoint with all that is known: configured values stand, the server is asked for the others.

    A server that loads its model is waited for, ``LOADING_S`` at most; ``on_wait`` is told so once. Raises
    ``ModelUnavailable`` when it is not there or not well, or when the profile has to be probed in vain.
    """
    first = _when_loaded(endpoint, cut, on_wait)
    found = context_tokens(endpoint, cut=cut)
    endpoint = dataclasses.replace(
        endpoint,
        name=endpoint.name or first.name or "default",
        llama_cpp=found is not None,
        context_tokens=configured_context or found or first.context_tokens or endpoint.context_tokens,
    )
    chosen = probe_profile(endpoint, cut=cut) if profile == "auto" else profile
    return dataclasses.replace(endpoint, profile=chosen)


def _when_loaded(endpoint: Endpoint, cut: Cut, on_wait: Callable[[str], object]) -> Listed:
    until_s, told = time.monotonic() + LOADING_S, False
    while True:
        try:
            return listed(endpoint, cut=cut)
        except Retriable as failed:
            if not failed.patience or time.monotonic() > until_s or cut.was_cut:
                raise failed.unavailable from None
        if not told:
            told = True
            on_wait(f"{who(endpoint)} is loading its model; waiting for it")
        pause(LOADING_LOOK_S, cut)


def probe_profile(endpoint: Endpoint, *, cut: Cut) -> Profile:
    """One tiny request with a tool: a structured call means ``native``, anything else ``json``.

    A server that refuses the request itself (400, 422, 500 …) takes no tools: ``json``. Raises
    ``ModelUnavailable`` when there is no telling.
    """
    request = ModelRequest(
        profile="native",
        baseline=(_SYSTEM,),
        history=(UserMessage(text="What time is it?"),),
        tools=(_TOOL,),
        max_tokens=MAX_TOKENS,
    )
    client = ModelClient(endpoint, first_token_s=PROBE_S, retry_s=1.0)
    try:
        reply = client.stream(
            request, deadline_s=time.monotonic() + PROBE_S, cut=cut, on_text=lambda _text: None
        )
    except ModelUnavailable as refusal:
        if refusal.status in {400, 422, 500, 501}:
            return "json"
        raise
    return "native" if reply.structured else "json"
