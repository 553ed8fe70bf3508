"""The client of an OpenAI-compatible chat-completions server (spec 3.4)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from bxcore.backoff import Backoff, delay_s
from bxcore.messages.model import Endpoint
from bxcore.model.request_body import prompt_tokens, request_body
from bxcore.model.values import ModelReply, ModelRequest
from bxio.deadline_http import Cut
from bxio.model.errors import ModelUnavailable, in_another_profile, who
from bxio.model.exchange import Exchange, Retriable
from bxio.model.llama_cpp import count_tokens

PAUSES = Backoff(first_s=0.25, most_s=4.0)
_STEP_S = 0.05
_NOT_SO = frozenset({400, 422, 501})
"""How a server says that it does not take a request of this form."""


def _quiet(_text: str) -> None:
    """Say nothing."""


class ModelClient:
    """Speaks to one endpoint; a fresh connection a request, any number of callers at once.

    ``first_token_s`` is the first token's deadline before the prompt's own allowance, the endpoint's when
    None. ``retry_s`` is how long a server that cannot be reached or fails is tried again: a prefill that ran
    longer before it broke is not begun anew. A server that says it is loading, or when to come back, is
    waited for as long as a first token may take. ``chance`` in [0, 1) spreads the pauses.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        first_token_s: float | None = None,
        retry_s: float = 10.0,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.endpoint = endpoint
        self._first_token_s = endpoint.first_token_s if first_token_s is None else first_token_s
        self._retry_s = retry_s
        self._chance = chance

    def stream(
        self,
        request: ModelRequest,
        *,
        deadline_s: float,
        cut: Cut,
        on_text: Callable[[str], None],
        on_wait: Callable[[str], object] = _quiet,
    ) -> ModelReply:
        """Ask, and hand each piece of the reply's text to ``on_text`` in the caller's thread.

        ``deadline_s`` is absolute and monotonic, for the whole answer. ``cut.cut()`` from any thread ends the
        call. Raises ``ModelUnavailable`` with one sentence; text may have been handed on before. Tried again
        only before the first token, and never because that was late. ``on_wait`` is told once, in a sentence,
        when the server wants to be waited for.
        """
        body = request_body(request, self.endpoint.name, llama_cpp=self.endpoint.llama_cpp)
        began_s = time.monotonic()
        allowance_s = self._allowance_s(request, body)
        attempt = 0
        while True:
            attempt += 1
            exchange = Exchange(
                endpoint=self.endpoint,
                first_by_s=min(deadline_s, time.monotonic() + allowance_s),
                deadline_s=deadline_s,
                cut=cut,
                stall_s=self.endpoint.stall_s,
            )
            try:
                return exchange.run(request, body, on_text)
            except ModelUnavailable as problem:
                if request.profile != self.endpoint.profile and problem.status in _NOT_SO:
                    raise in_another_profile(problem, request.profile) from None
                raise
            except Retriable as failed:
                wait_s = allowance_s if failed.patience else min(allowance_s, self._retry_s)
                pause_s = max(delay_s(PAUSES, attempt, self._chance()), failed.unavailable.rest_s or 0.0)
                until_s = min(deadline_s, began_s + wait_s)
                if time.monotonic() + pause_s >= until_s:
                    raise failed.unavailable from None
                if failed.patience:
                    on_wait, _ = _quiet, on_wait(_wait(self.endpoint, failed.unavailable))
                if not pause(pause_s, cut):
                    raise failed.unavailable from None

    def _allowance_s(self, request: ModelRequest, body: dict[str, object]) -> float:
        uncached = request.uncached_tokens
        tokens = prompt_tokens(body) if uncached is None else uncached
        return self._first_token_s + tokens / self.endpoint.prompt_tokens_per_s

    def count_tokens(self, text: str) -> int | None:
        """Tokens of a text by the server's own tokenizer, or None when it has none or does not answer."""
        return count_tokens(self.endpoint, text) if self.endpoint.llama_cpp else None


def _wait(endpoint: Endpoint, problem: ModelUnavailable) -> str:
    if problem.rest_s is None:
        return f"{who(endpoint)} is loading its model; waiting for it"
    return f"{who(endpoint)} takes no requests for {problem.rest_s:g} s; waiting for it"


def pause(pause_s: float, cut: Cut) -> bool:
    """Wait ``pause_s`` before the next attempt; False when the call was cut."""
    end_s = time.monotonic() + pause_s
    while (left_s := end_s - time.monotonic()) > 0 and not cut.was_cut:
        time.sleep(min(left_s, _STEP_S))
    return not cut.was_cut


__all__ = ["ModelClient", "ModelUnavailable"]
