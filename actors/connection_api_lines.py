"""A turn's answer on its way to a client of OpenAI's interface; a room of ``actors/connection.py``.

A stream begins with its first piece of text, or with the first sign of life: what fails before that has a
status of its own, what fails later is an event in the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from actors.base import Answer, Outcome
from actors.connection_outcomes import failure
from bxcore.http import HttpResponse, json_response
from bxcore.labels import TOP
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import TurnEvent, TurnResult, TurnStarted, Usage
from bxcore.openai_api.answers import DONE, Reply, comment, error_event
from bxcore.openai_api.asked import Asked
from bxcore.openai_api.errors import ApiError, failed_turn, of_code
from bxcore.openai_api.sessions import HEADER
from bxcore.openai_api.streaming import Streamed
from bxio.http_server import ClientGoneError, HttpExchange
from bxio.turn_stream import TurnStream


@dataclass(slots=True, kw_only=True)
class ApiLines:
    """The answer of one client, streamed or whole. ``until`` is the deadline of what is sent now.

    ``running`` says that the turn has begun and is not over, ``pending`` which approval it waits for.
    """

    http: HttpExchange
    news: TurnStream
    until: Callable[[], float]
    asked: Asked
    reply: Reply
    running: bool = False
    pending: str | None = None
    _begun: bool = False
    _role_shown: bool = False
    _streamed: Streamed = field(default_factory=Streamed)

    def begin(self) -> None:
        """Nothing is sent before the turn has come to something."""

    def show(self) -> None:
        """Take the news that waits; a stream shows the text of it."""
        for event in self.news.take():
            self._note(event)
            self._streamed, text = self._streamed.after(event)
            if text and self.asked.stream:
                self._text(text)

    def show_life(self) -> None:
        """Keep a stream alive; a client that has left is found out, since nothing else would."""
        if self.http.left():
            raise ClientGoneError
        if self.asked.stream:
            self._head()
            self.http.piece(
                comment(f"{self.pending} waits for approval" if self.pending else ""), self.until()
            )

    def finish(self, outcome: Outcome) -> None:
        """Answer with what the turn came to; its news was told before that, so it was shown."""
        self.running = False
        match outcome:
            case Answer(TurnResult(failed=None, reply=str() as text) as result):
                self.reply = replace(self.reply, turn=result.turn)
                self._whole(text, result.usage)
            case Answer(TurnResult() as result):
                self._fail(failed_turn(result.failed or "the turn has no reply", begun=result.turn > 0))
            case _:
                self._fail(of_code(*failure(outcome)))

    def _note(self, event: TurnEvent) -> None:
        match event:
            case TurnStarted(turn=turn):
                self.running = True
                self.reply = replace(self.reply, turn=turn)
            case ApprovalAsked(approval=view):
                self.pending = view.code
            case ApprovalClosed():
                self.pending = None
            case _:
                pass

    def _whole(self, text: str, usage: Usage) -> None:
        if not self.asked.stream:
            made = json_response(200, self.reply.completion(text, usage))
            self.http.answer(self._named(made), self.until())
            return
        self._text(self._streamed.rest(text))
        tokens = self.reply.tokens(usage) if self.asked.usage else b""
        self.http.piece(self.reply.end() + tokens + DONE, self.until())
        self.http.finish(self.until())

    def _fail(self, error: ApiError) -> None:
        if self._begun:
            self.http.piece(error_event(error), self.until())
            self.http.finish(self.until())
        else:
            self.http.answer(self._named(error.response()), self.until())

    def _text(self, text: str) -> None:
        self._head()
        role = b"" if self._role_shown else self.reply.role()
        self._role_shown = True
        data = role + (self.reply.text(text) if text else b"")
        if data:
            self.http.piece(data, self.until())

    def _head(self) -> None:
        if not self._begun:
            head = {"content-type": "text/event-stream; charset=utf-8", HEADER: self.asked.session}
            self.http.start(200, head, self.until())
            self._begun = True

    def _named(self, response: HttpResponse) -> HttpResponse:
        """Say in which session it was, which a client that named a user may not know."""
        return replace(response, headers={**response.headers, HEADER: self.asked.session})


def stopped(session: str, outcome: Outcome) -> Outcome:
    """Put the loop's answer to ``StopTurn`` as a reply, which any client shows."""
    if not isinstance(outcome, Answer):
        return outcome
    text = "The turn is being stopped." if outcome.value else "No turn is running."
    return Answer(
        TurnResult(session=session, turn=0, reply=text, failed=None, tools=(), label=TOP, usage=Usage())
    )
