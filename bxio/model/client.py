"""The client of an OpenAI-compatible chat-completions server (spec 3.4)."""

from __future__ import annotations

import time
from collections.abc import Callable

from bxcore.messages.model import Endpoint
from bxcore.model.request_body import prompt_tokens, request_body
from bxcore.model.values import ModelReply, ModelRequest
from bxio.deadline_http import Cut
from bxio.model.errors import ModelUnavailable
from bxio.model.exchange import Exchange, Retriable
from bxio.model.llama_cpp import count_tokens

PROMPT_TOKENS_A_SECOND = 40
"""What the first token's deadline grants a prompt that the server has not seen (spec 3.4)."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 4.0
_STEP_S = 0.05
_LOADING = 503


class ModelClient:
    """Speaks to one endpoint; a fresh connection a request, any number of callers at once.

    ``first_token_s`` is the first token's deadline before the prompt's own allowance, ``retry_s`` how long a
    server that cannot be reached or fails is tried again. A server that says it is loading is tried up to the
    first token's deadline.
    """

    def __init__(self, endpoint: Endpoint, *, first_token_s: float = 60.0, retry_s: float = 10.0) -> None:
        self.endpoint = endpoint
        self._first_token_s = first_token_s
        self._retry_s = retry_s

    def stream(
        self, request: ModelRequest, *, deadline_s: float, cut: Cut, on_text: Callable[[str], None]
    ) -> ModelReply:
        """Ask, and hand each piece of the reply's text to ``on_text`` in the caller's thread.

        ``deadline_s`` is absolute and monotonic, for the whole answer. ``cut.cut()`` from any thread ends the
        call. Raises ``ModelUnavailable`` with one sentence; text may have been handed on before. Tried again
        only before the first token, and never because that was late.
        """
        body = request_body(request, self.endpoint.name, llama_cpp=self.endpoint.llama_cpp)
        began_s = time.monotonic()
        first_by_s = min(deadline_s, began_s + self._allowance_s(request, body))
        pause_s = FIRST_PAUSE_S
        while True:
            exchange = Exchange(endpoint=self.endpoint, first_by_s=first_by_s, deadline_s=deadline_s, cut=cut)
            try:
                return exchange.run(request, body, on_text)
            except Retriable as failed:
                loading = failed.unavailable.status == _LOADING
                until_s = first_by_s if loading else min(first_by_s, began_s + self._retry_s)
                if not _pause(pause_s, until_s, cut):
                    raise failed.unavailable from None
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    def _allowance_s(self, request: ModelRequest, body: dict[str, object]) -> float:
        uncached = request.uncached_tokens
        tokens = prompt_tokens(body) if uncached is None else uncached
        return self._first_token_s + tokens / PROMPT_TOKENS_A_SECOND

    def count_tokens(self, text: str) -> int | None:
        """Tokens of a text by the server's own tokenizer, or None when it has none or does not answer."""
        return count_tokens(self.endpoint, text) if self.endpoint.llama_cpp else None


def _pause(pause_s: float, until_s: float, cut: Cut) -> bool:
    """Wait before the next attempt; False when there is no time for one, or the call was cut."""
    end_s = time.monotonic() + pause_s
    if end_s >= until_s:
        return False
    while (left_s := end_s - time.monotonic()) > 0 and not cut.was_cut:
        time.sleep(min(left_s, _STEP_S))
    return not cut.was_cut


__all__ = ["ModelClient", "ModelUnavailable"]
