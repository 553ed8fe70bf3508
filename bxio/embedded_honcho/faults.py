"""The real server's faults, as modes that a test switches on (spec 4.8)."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus

from bxcore.http import HttpRequest
from bxio.embedded_honcho.problems import HttpProblem, failed, refused

_WORKSPACE_CHAT = re.compile(r"/v3/workspaces/[^/]+/chat")
_TOO_MANY_TOKENS = "exceeds maximum token limit"
_REFUSED = (b"<|endoftext|>", b"<|endofprompt|>")
_FATAL = (b"<|fim_prefix|>", b"<|fim_middle|>", b"<|fim_suffix|>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What goes wrong beside what is asked for.

    ``poison``: some special tokens in an append or a search are 422; others, lone surrogates and bad names
    in a path are 500. ``close_after_500``: the connection ends behind a 500 without a word.
    ``slow_first_chat_s``: the first chat after the start takes so much longer. ``no_workspace_chat``: the
    route is not there, as on servers before it came.
    """

    poison: bool = False
    close_after_500: bool = False
    slow_first_chat_s: float = 0.0
    no_workspace_chat: bool = False


NONE = Faults()


class FaultState:
    """What the modes remember between requests. Any thread."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._lock = threading.Lock()
        self._chatted = False

    def withhold(self, request: HttpRequest) -> None:
        """Raise the 404 of a route that is not there; like every such 404 it needs no token."""
        if self.faults.no_workspace_chat and _WORKSPACE_CHAT.fullmatch(request.path):
            raise HttpProblem(HTTPStatus.NOT_FOUND, "Not Found")

    def strike(self, request: HttpRequest, deadline_s: float) -> None:
        """Do to a request what the modes say; raises the ``HttpProblem`` that is its answer."""
        if self.faults.poison and not request.path.endswith("/chat"):
            _poison(request)
        if self.faults.slow_first_chat_s and request.path.endswith("/chat") and self._first_chat():
            time.sleep(max(0.0, min(self.faults.slow_first_chat_s, deadline_s - time.monotonic())))

    def _first_chat(self) -> bool:
        with self._lock:
            first, self._chatted = not self._chatted, True
        return first


def _poison(request: HttpRequest) -> None:
    body = request.body.lower()
    if any(token in body for token in _FATAL):
        raise failed()
    if any(token in body for token in _REFUSED):
        raise refused(_TOO_MANY_TOKENS)
