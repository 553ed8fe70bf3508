"""The control socket's acceptor: each client gets a short-lived actor under ``connections`` (spec 6.3)."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import assert_never

from loguru import logger

from actors.base import Actor, Busy, Context, Failed, Mailbox, Refusal, Reply
from bxcore.address import Delivery
from bxcore.control import ErrorCode
from bxcore.control.turns import error_json
from bxcore.http import HttpResponse, json_response
from bxcore.messages.control import AcceptNext, ControlMessage, TakeRequest
from bxcore.messages.supervision import StartChild
from bxcore.supervision import ChildSpec, Restart
from bxio.http_server import HttpExchange
from bxio.instance_lock import InstanceLock
from bxio.unix_socket import SocketError, listen, peer_is_ours, remove

CONNECTION_BOUND = 16
"""Messages: the request, one wake-up for news, one outcome."""
_KEPT_S = 3600.0

MakeConnection = Callable[[Context, HttpExchange], Actor]
_number = count(1)


class Control(Actor):
    """Blocked in ``accept`` between two clients; ``cut`` wakes it, so a stop is heard at once."""

    def __init__(
        self,
        context: Context,
        *,
        path: Path,
        lock: InstanceLock,
        connections: Mailbox,
        connect: MakeConnection,
    ) -> None:
        super().__init__(context)
        self._runtime = context.runtime
        self._path = path
        self._lock = lock
        self._connections = connections
        self._connect = connect
        self._listener: socket.socket | None = None
        self._cut = False

    def on_start(self) -> None:
        """Listen; where that cannot be done, the start is refused."""
        try:
            self._listener = listen(self._path, self._lock)
        except SocketError as error:
            raise Refusal(error.sentence) from None
        self.tell_later(0.0, AcceptNext())

    def on_receive(self, message: ControlMessage) -> None:
        """Take one client, then tell oneself to take the next: a stop comes in between.

        By a timer, which ends with this incarnation: a message would wait for the next one, beside its own.
        """
        match message:
            case AcceptNext():
                self._accept()
            case _:
                assert_never(message)

    def on_stop(self) -> None:
        """Stop listening and take the socket's file away."""
        if self._listener is not None:
            self._listener.close()
            remove(self._path, self._lock)

    def cut(self) -> None:
        """Wake ``accept``. Any thread."""
        self._cut = True
        listener = self._listener
        if listener is not None:
            with contextlib.suppress(OSError):  # closed already
                listener.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            client, _ = self._listener.accept()
        except OSError:
            if self._cut:
                return  # the stop is the next message
            raise
        self._hand_over(client)
        self.tell_later(0.0, AcceptNext())

    def _hand_over(self, client: socket.socket) -> None:
        if not peer_is_ours(client):
            logger.warning("control: a client of another user was turned away")
            client.close()
            return
        exchange = HttpExchange(client)
        name = f"connections/conn-{next(_number)}"
        box = self._runtime.mailbox(name, bound=CONNECTION_BOUND)
        spec = ChildSpec(
            name=name, start=lambda context: self._connect(context, exchange), restart=Restart.TEMPORARY
        )
        if self._connections.tell(StartChild(spec=spec, mailbox=box)) is not Delivery.ACCEPTED:
            self._runtime.forget(box)  # nobody will start it: who asks it below hears so at once
        taken = box.ask(TakeRequest(), self.now() + _KEPT_S)
        taken.when_over(lambda: _turn_away(taken, exchange))


def _turn_away(taken: Reply, exchange: HttpExchange) -> None:
    """Say no to a client that no connection took: there is no place, or its start failed. Any thread."""
    match taken.peek():
        case Failed(error=Busy()):
            exchange.turn_away(_no(ErrorCode.BUSY, "there are too many connections, try again"))
        case Failed(error=error):
            exchange.turn_away(_no(ErrorCode.FAILED, error.sentence))
        case _:
            pass


def _no(code: ErrorCode, sentence: str) -> HttpResponse:
    return json_response(code.status, error_json(code, sentence))
