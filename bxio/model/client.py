"""The client of an OpenAI-compatible chat-completions server (spec 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bxcore.messages.model import Endpoint
from bxcore.model import ModelReply, ModelRequest

if TYPE_CHECKING:
    from bxio.deadline_http import Cut


class ModelClient:
    """Speaks to one endpoint; one call at a time a caller, any number of callers.

    ``first_token_s`` is the first token's deadline before the prompt's own allowance.
    """

    def __init__(self, endpoint: Endpoint, *, first_token_s: float = 60.0) -> None:
        self.endpoint = endpoint
        self._first_token_s = first_token_s

    def stream(
        self, request: ModelRequest, *, deadline_s: float, cut: Cut, on_text: Callable[[str], None]
    ) -> ModelReply:
        """Ask, and hand each piece of the reply's text to ``on_text`` in the caller's thread.

        ``deadline_s`` is absolute and monotonic, for the whole answer. ``cut.cut()`` from any thread ends the
        call. Raises ``ModelUnavailable`` with one sentence; text may have been handed on before.
        """
        raise NotImplementedError

    def count_tokens(self, text: str) -> int | None:
        """Tokens of a text by the server's own tokenizer, or None when it has none or does not answer."""
        raise NotImplementedError
