"""A session that nears its model's window goes on in a new epoch (spec 3.4); a room of ``actors/session.py``.

The model is asked for a summary, bounded in tokens and time; whatever becomes of that, the epoch begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loguru import logger

from actors.session_asks import NotReady, SessionAsks
from bxcore.messages.loop import TurnBrake
from bxcore.messages.model import Endpoint
from bxio.cut import Cut
from bxio.live_session import LiveSession
from bxio.model import ModelClient, ModelUnavailable

NEVER_NEAR = 500
"""Tokens of an epoch's turns that fit beside any baseline."""
SMALL_WINDOW = 4096
"""Tokens that any model's window has, for a session that cannot wait for a model to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """Used by the session's thread. ``client`` makes the client of an endpoint.

    ``summary_s`` is for the whole answer of the model; ``now`` is monotonic.
    """

    asks: SessionAsks
    client: Callable[[Endpoint], ModelClient]
    summary_s: float
    now: Callable[[], float]

    def window(self, live: LiveSession, known: int, brake: TurnBrake, notice: Callable[[str], object]) -> int:
        """The model's context window in tokens; 0 when nobody can tell now, or there is no need to know."""
        if known or (live.loss is None and live.history_tokens() < NEVER_NEAR):
            return known
        try:
            return self.asks.endpoint(brake, notice).context_tokens
        except NotReady:
            return 0 if live.loss is None else SMALL_WINDOW

    def begin_epoch(
        self, live: LiveSession, context_tokens: int, brake: TurnBrake, notice: Callable[[str], object]
    ) -> None:
        """Begin it, on disk when this returns. Raises ``SessionError`` when the log cannot be written."""
        upto, loss = live.turns, live.loss
        long = "this session is long"
        why = long if loss is None else loss.sentence(live.log.session, upto, live.label)
        notice(f"{why}: its turns up to turn {upto} are being summed up")
        said = self._summary(live, context_tokens, brake, notice)
        live.begin_epoch(said, context_tokens)
        by = "" if said else "by notes of the log, for the model gave no summary; "
        notice(
            f"the model goes on from a summary of the turns up to turn {upto}; {by}recall finds their words"
        )

    def _summary(
        self, live: LiveSession, context_tokens: int, brake: TurnBrake, notice: Callable[[str], object]
    ) -> str:
        """The model's words; empty when it has none, calls a tool, is not there or is stopped."""
        cut = Cut()
        brake.on_pull(cut.cut)
        try:
            client = self.client(self.asks.endpoint(brake, notice))
            if brake.pulled():
                return ""
            reply = client.stream(
                live.summary_request(context_tokens),
                deadline_s=self.now() + self.summary_s,
                cut=cut,
                on_text=_unseen,
            )
        except (NotReady, ModelUnavailable) as error:
            logger.warning("session {}: no summary by the model: {}", live.log.session, error.sentence)
            return ""
        return "" if reply.tool_calls else reply.text.strip()


def _unseen(_text: str) -> None:
    """A summary is no reply, and nobody is shown it as it comes."""
