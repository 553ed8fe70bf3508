"""The acceptor of OpenAI's interface on the loopback; each client gets a short-lived actor.

A port that is taken stops nobody's start: the box is degraded, says so, and tries again.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import assert_never

from loguru import logger

from actors.base import Actor, Busy, Context, Failed, Mailbox, Reply
from bxcore.address import Delivery
from bxcore.control import ErrorCode
from bxcore.control.views import Fact
from bxcore.messages.api_door import ApiDoorMessage, LetNextIn, OpenDoor
from bxcore.messages.control import TakeRequest
from bxcore.messages.supervision import StartChild
from bxcore.openai_api.errors import of_code
from bxcore.supervision import ChildSpec, Restart
from bxio.http_server import HttpExchange
from bxio.loopback_listener import ListenError, accept, listen, split

CONNECTION_BOUND = 16
"""Messages: the request, one wake-up for news, one outcome."""
RETRY_S = 5.0
"""Between two tries to listen, and to accept where the system had nothing left for a client."""
_KEPT_S = 3600.0
_number = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Where the door is, as ``[api] listen`` has it, and what is behind it.

    ``connect`` makes a client's actor of its context, its exchange and the port that it came to; ``publish``
    is told how the door stands, in this actor's thread. ``most`` clients are let in at once. ``retry_s`` as
    ``RETRY_S``.
    """

    listen: str
    connections: Mailbox
    connect: Callable[[Context, HttpExchange, int], Actor]
    publish: Callable[[Fact], object]
    most: int
    retry_s: float = RETRY_S


class ApiDoor(Actor):
    """Blocked in ``accept`` between two clients; ``cut`` wakes it, so a stop is heard at once."""

    def __init__(self, context: Context, *, way: Way) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._way = way
        self._listener: socket.socket | None = None
        self._cut = False

    def on_start(self) -> None:
        """Listen; where that cannot be done, later."""
        self._open()

    def on_receive(self, message: ApiDoorMessage) -> None:
        """Take one client, then tell oneself to take the next: a stop comes in between.

        By a timer, which ends with this incarnation: a message would wait for the next one, beside its own.
        """
        match message:
            case OpenDoor():
                self._open()
            case LetNextIn():
                self._let_in()
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.close()
        self._way.publish(Fact(name="api", text="closed", ok=True))

    def cut(self) -> None:
        """Wake ``accept``. Any thread."""
        self._cut = True
        listener = self._listener
        if listener is not None:
            with contextlib.suppress(OSError):  # closed already
                listener.shutdown(socket.SHUT_RDWR)

    def _open(self) -> None:
        way, (host, port) = self._way, split(self._way.listen)
        try:
            self._listener = listen(host, port)
        except ListenError as error:
            logger.warning("api: {}", error.sentence)
            text = f"{error.sentence}; it is tried again every {way.retry_s:g} s"
            way.publish(Fact(name="api", text=text, ok=False, help=f"ss -ltnp 'sport = :{port}'"))
            self.tell_later(way.retry_s, OpenDoor())
            return
        shown = f"[{host}]" if ":" in host else host
        way.publish(Fact(name="api", text=f"listens at http://{shown}:{self._port()}/v1"))
        self.tell_later(0.0, LetNextIn())

    def _port(self) -> int:
        assert self._listener is not None
        return int(self._listener.getsockname()[1])

    def _let_in(self) -> None:
        assert self._listener is not None
        try:
            client = accept(self._listener)
        except OSError as error:
            if self._cut:
                return  # the stop is the next message
            # No descriptor was left, or the client had gone: the next one may do better.
            logger.warning("api: a client could not be let in: {}", type(error).__name__)
            self.tell_later(self._way.retry_s, LetNextIn())
            return
        self._hand_over(client)
        self.tell_later(0.0, LetNextIn())

    def _full(self) -> bool:
        """Whether all places are taken. Left to the supervisor, each client of a flood were a dead letter."""
        prefix = f"{self._way.connections.name}/"
        return sum(box.name.startswith(prefix) for box in self._runtime.mailboxes()) >= self._way.most

    def _hand_over(self, client: socket.socket) -> None:
        way, exchange, port = self._way, HttpExchange(client), self._port()
        if self._full():
            exchange.turn_away(_FULL.response())
            return
        name = f"{way.connections.name}/api-{next(_number)}"
        box = self._runtime.mailbox(name, bound=CONNECTION_BOUND)
        spec = ChildSpec(
            name=name, start=lambda context: way.connect(context, exchange, port), restart=Restart.TEMPORARY
        )
        if way.connections.tell(StartChild(spec=spec, mailbox=box)) is not Delivery.ACCEPTED:
            self._runtime.forget(box)  # nobody will start it: who asks it below hears so at once
        taken = box.ask(TakeRequest(), self.now() + _KEPT_S)
        taken.when_over(lambda: _turn_away(taken, exchange))


_FULL = of_code(ErrorCode.BUSY, "there are too many connections, try again")


def _turn_away(taken: Reply, exchange: HttpExchange) -> None:
    """Say no to a client that no connection took: there is no place, or its start failed. Any thread."""
    match taken.peek():
        case Failed(error=Busy()):
            no = _FULL
        case Failed(error=error):
            no = of_code(ErrorCode.FAILED, error.sentence)
        case _:
            return
    exchange.turn_away(no.response())
