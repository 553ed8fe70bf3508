"""A turn's news on its way to one client, line by line; a room of ``actors/connection.py`` (spec 6.3).

A chat is shown its own turn, a watch every turn of a session. Lines go out only behind the answer's head.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from actors.base import Answer, Outcome
from actors.connection_outcomes import failure
from bxcore.control.answers import LineJson
from bxcore.control.requests import ChatRequest
from bxcore.control.turns import error_line, event_line, result_line, waiting_line
from bxcore.messages.loop import Queued, Say
from bxio.http_server import HttpExchange
from bxio.turn_stream import TurnStream

HEAD: Mapping[str, str] = {"content-type": "application/x-ndjson"}


class Shown(Protocol):
    """A client's view of turns; everything that writes raises ``ClientGoneError``."""

    @property
    def news(self) -> TurnStream:
        """What the turn tells."""

    def begin(self) -> None:
        """The turn is asked for."""

    def show(self) -> None:
        """Show the news that waits."""

    def show_life(self) -> None:
        """Show that the connection holds while nothing happens."""

    def finish(self, outcome: Outcome) -> None:
        """End with what the turn came to."""


@dataclass(slots=True, kw_only=True)
class Lines:
    """The stream of one client. ``until`` is the deadline of what is sent now, on the monotonic clock.

    Everything that writes raises ``ClientGoneError``.
    """

    http: HttpExchange
    news: TurnStream
    until: Callable[[], float]
    begun: bool = False
    """Whether the answer's head is sent."""
    queued: bool = False
    """Whether its message waits behind a running turn, by what was shown last."""

    def begin(self) -> None:
        """Send the head; what has come before it is shown now."""
        self.http.start(200, HEAD, self.until())
        self.begun = True
        self.show()

    def show(self) -> None:
        """Show the news that waits."""
        for event in self.news.take() if self.begun else ():
            self.queued = isinstance(event, Queued)
            self._line(event_line(event))

    def show_life(self) -> None:
        """Show that the connection holds while nothing happens."""
        self._line(waiting_line())

    def finish(self, outcome: Outcome) -> None:
        """End a chat's stream with what its turn came to; its news was told before that, so it was shown."""
        match outcome:
            case Answer(value):
                self._line(result_line(value))
            case _:
                self._line(error_line(*failure(outcome)))
        self.http.finish(self.until())

    def _line(self, line: LineJson) -> None:
        self.http.piece(json.dumps(line).encode("ascii") + b"\n", self.until())


def saying(request: ChatRequest, news: TurnStream) -> Say:
    """What the loop is asked for a chat; the acceptor lets in nobody but the user whom the box runs as."""
    return Say(
        session=request.session,
        text=request.text,
        speaker=request.speaker,
        listener=news,
        answers=request.answers,
        owner=True,
    )
