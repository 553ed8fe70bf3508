"""Consolidation: asks the model for a shorter set of entries, answers, and ends (spec 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from actors.base import Context, Errand, Reply
from bxcore.memory_consolidation import SYSTEM, whole_lines
from bxcore.messages.consolidation import NotShortened, Shorten, Shortened, ShortenOutcome
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelRequest, UserMessage
from bxcore.sanitize import neutralise
from bxio.model.client import ModelClient
from bxio.model.errors import ModelUnavailable

MAX_TOKENS = 2048
FIRST_TOKEN_S = 60.0
MARGIN_S = 2.0
"""So much before the asker stops waiting the model is cut, and what it wrote before is handed on."""
NO_MODEL = "there is no model to ask; bxctl status says why"


class Consolidation(Errand[Shorten]):
    """A temporary child. ``endpoint`` gives the model of the moment, None while there is none."""

    def __init__(self, context: Context, *, endpoint: Callable[[], Endpoint | None]) -> None:
        super().__init__(context)
        self._endpoint = endpoint

    def run(self, message: Shorten, reply: Reply) -> None:
        """Ask, and answer."""
        reply.on_abandon(self.cutting.cut)
        reply.set(self._outcome(message.portions, reply.deadline_s - MARGIN_S))

    def _outcome(self, portions: Sequence[str], deadline_s: float) -> ShortenOutcome:
        endpoint = self._endpoint()
        if endpoint is None:
            return NotShortened(sentence=NO_MODEL)
        texts: list[str] = []
        try:
            for notes in portions:
                texts.append(self._shortened(endpoint, notes, deadline_s))  # noqa: PERF401 - kept on a failure
        except ModelUnavailable as error:
            if not texts:
                return NotShortened(sentence=f"no shorter set was proposed: {error.sentence}")
        return Shortened(texts=tuple(texts))

    def _shortened(self, endpoint: Endpoint, notes: str, deadline_s: float) -> str:
        request = ModelRequest(
            profile=endpoint.profile,
            baseline=({"role": "system", "content": _system(endpoint)},),
            history=(UserMessage(text=neutralise(notes)),),
            max_tokens=MAX_TOKENS,
        )
        client = ModelClient(endpoint, first_token_s=FIRST_TOKEN_S)
        answer = client.stream(request, deadline_s=deadline_s, cut=self.cutting, on_text=lambda _text: None)
        return whole_lines(answer.text) if answer.finish == "length" else answer.text


def _system(endpoint: Endpoint) -> str:
    return SYSTEM if endpoint.profile == "native" else f'{SYSTEM} Write {{"reply":ALL LINES}}.'
