"""A client of OpenAI's interface: on the control socket beside its own paths, and alone on TCP.

A turn goes on when its client leaves, as a person expects who closes a tab: the words were said, what they
asked for is done once, and the reply stands in the session. Who wants it to end then says so in a header.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from actors.base import Context, Outcome
from actors.connection import Connection, Limits
from actors.connection_api_lines import ApiLines, stopped
from actors.connection_views import Known
from bxcore.control import ErrorCode
from bxcore.http import HttpRequest, json_response
from bxcore.messages.loop import Say, StopTurn
from bxcore.openai_api import MODELS, PATHS
from bxcore.openai_api.answers import Reply, models_json
from bxcore.openai_api.asked import Asked, read
from bxcore.openai_api.errors import ApiError, of_code
from bxcore.openai_api.gate import Gate, wrong_way
from bxio.http_server import HttpExchange

STOP = "/stop"
"""Said alone, it ends the session's running turn: most front ends have no other way to say so."""
LEAVING_S = 0.5
"""How often a client that wants its turn to end with it is looked after."""


class ApiConnection(Connection):
    """A client of the control socket, or with a ``gate`` one from TCP, which lets in nothing else."""

    def __init__(
        self,
        context: Context,
        *,
        exchange: HttpExchange,
        known: Known,
        gate: Gate | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(context, exchange=exchange, known=known, limits=limits)
        self._gate = gate
        self._asked: Asked | None = None

    def _read(self, sent: HttpRequest) -> None:
        refused = self._gate.refused(sent) if self._gate is not None else None
        if self._gate is None and sent.path not in PATHS:
            super()._read(sent)
        elif (no := refused or wrong_way(sent)) is not None:
            self._send(no.response())
        elif sent.path == MODELS:
            self._send(json_response(200, models_json(self._began())))
        else:
            self._complete(read(sent.body, sent.headers))

    def _began(self) -> int:
        """When the process began, in whole seconds of wall time."""
        world = self._known.runtime.world
        return int(world.wall() - (world.monotonic() - self._known.started_s))

    def _complete(self, asked: Asked | ApiError) -> None:
        if isinstance(asked, ApiError):
            self._send(asked.response())
        elif asked.text.strip() == STOP:
            self._stop_turn(asked)
        elif (full := self._known.chats.enter(self.name)) is not None:
            self._send(of_code(ErrorCode.BUSY, full).response())
        else:
            self._say_turn(asked)

    def _say_turn(self, asked: Asked) -> None:
        self._asked = asked
        if asked.stops:
            self._limits = replace(self._limits, sign_of_life_s=LEAVING_S)
        lines = self._api_lines(asked)
        self._lines = lines
        self._begin(lines)
        self._ask(
            [(self._known.loop, self._saying(asked, lines))],
            self._limits.turn_s,
            lambda found: self._end_chat(lines, found),
        )

    def _api_lines(self, asked: Asked) -> ApiLines:
        reply = Reply(session=asked.session, turn=0, created=int(self._known.runtime.world.wall()))
        return ApiLines(http=self._http, news=self._news(), until=self._until, asked=asked, reply=reply)

    def _saying(self, asked: Asked, lines: ApiLines) -> Say:
        speaker = asked.speaker or self._known.owner
        return Say(
            session=asked.session,
            text=asked.text,
            speaker=speaker,
            listener=lines.news,
            answers=asked.waits,
            owner=speaker == self._known.owner,
        )

    def _stop_turn(self, asked: Asked) -> None:
        lines = self._api_lines(asked)

        def answer(outcomes: Sequence[Outcome]) -> None:
            lines.finish(stopped(asked.session, outcomes[0]))
            self._leave()

        self._ask([(self._known.loop, StopTurn(session=asked.session))], self._limits.call_s, answer)

    def _gone(self) -> None:
        """Only its own turn ends with it: one that waits was not begun, and the loop drops it."""
        lines = self._lines
        if self._asked is not None and self._asked.stops and isinstance(lines, ApiLines) and lines.running:
            self._known.loop.tell(StopTurn(session=self._asked.session))
        super()._gone()

    def _no(self, code: ErrorCode, sentence: str) -> None:
        if self._gate is None:
            super()._no(code, sentence)
        else:
            self._send(of_code(code, sentence).response())
