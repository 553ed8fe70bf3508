"""``ask_memory`` against two Honcho servers: what it adds to the slower one, and how far past its limit."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from loguru import logger

from actors.base import Mailbox, Runtime
from actors.honcho_chat import HonchoChat
from actors.supervising import Supervisor
from bench.row import Row, percentile
from bxcore.args import AskMemoryArgs
from bxcore.messages.memory import AskMemory
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.waits import Waits
from bxio.honcho import HonchoClient, HonchoServer
from tests.doubles import bad_manners
from tests.doubles.loopback import Connection, Handler, LoopbackServer
from tests.doubles.memory_bench import MemoryBench

ROWS = (
    "ask_memory_over_slower_p50",
    "ask_memory_over_slower_p99",
    "ask_memory_past_deadline_p50",
    "ask_memory_past_deadline_p99",
)
SERVER_S = 0.005
LIMIT_S = 0.2
ASKS = 500
LATE_ASKS = 100
WARM_UP = 20
WAIT_S = 10.0


def rows(wanted: set[str]) -> Iterator[Row]:
    """Measure the wanted rows."""
    logger.disable("actors")  # a line for each late ask is no news here
    try:
        for prefix, measure in (
            ("ask_memory_over_slower", over_slower),
            ("ask_memory_past_deadline", past_deadline),
        ):
            if any(row.startswith(prefix) for row in wanted):
                yield from (row for row in measure() if row.row in wanted)
    finally:
        logger.enable("actors")


class Answering:
    """Answers after ``SERVER_S``, and keeps how long it really took, from the request to the last byte."""

    def __init__(self) -> None:
        self.took: list[float] = []

    def __call__(self, connection: Connection) -> None:
        connection.read_request()
        begun = time.perf_counter()
        connection.wait(SERVER_S)
        body = b'{"content": "in the larder"}'
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        self.took.append(time.perf_counter() - begun)


def over_slower() -> Iterator[Row]:
    """Each ask's time less that of the slower of its two servers."""
    one, other = Answering(), Answering()
    over: list[float] = []
    slower: list[float] = []
    with memory((one, other), WAIT_S) as (box, servers):
        for _ in range(WARM_UP + ASKS):
            took = timed_ask(box)
            if not all(server.wait_idle() for server in servers):
                raise TimeoutError("a server has not ended its connection")
            slower.append(max(one.took[-1], other.took[-1]))
            over.append(took - slower[-1])
    for percent, goal in ((50, 15.0), (99, 50.0)):
        yield Row(
            row=f"ask_memory_over_slower_p{percent}",
            value=percentile(over[WARM_UP:], percent) * 1e3,
            unit="ms",
            reference="the slower of the two servers, each about 5 ms",
            reference_value=percentile(slower[WARM_UP:], percent) * 1e3,
            goal=goal,
        )


def past_deadline() -> Iterator[Row]:
    """Both servers drip their headers for ever; each ask's time less its limit."""
    dripping = (bad_manners.drips_headers, bad_manners.drips_headers)
    with memory(dripping, LIMIT_S) as (box, _):
        over = [timed_ask(box) - LIMIT_S for _ in range(LATE_ASKS)]
    for percent in (50, 99):
        yield Row(
            row=f"ask_memory_past_deadline_p{percent}",
            value=percentile(over, percent) * 1e3,
            unit="ms",
            reference="the limit of the ask, both servers dripping",
            reference_value=LIMIT_S * 1e3,
            goal=50.0,
        )


def timed_ask(box: Mailbox) -> float:
    """One ``ask_memory`` of both workspaces, in seconds."""
    message = AskMemory(args=AskMemoryArgs("where is the marmalade", ("own", "fleet")), session="bench")
    begun = time.perf_counter()
    box.call(message, WAIT_S)
    return time.perf_counter() - begun


@contextmanager
def memory(handlers: Sequence[Handler], limit_s: float) -> Iterator[tuple[Mailbox, list[LoopbackServer]]]:
    """A memory whose ``own`` and ``fleet`` are the two servers; its chats are real."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [stack.enter_context(LoopbackServer(handler)) for handler in handlers]
        clients = {
            workspace: HonchoClient(HonchoServer(url=server.url))
            for workspace, server in zip(("boxmaker", "fleet"), servers, strict=True)
        }

        def chat(name: str, workspace: str) -> ChildSpec:
            make = partial(HonchoChat, client=clients[workspace], workspace=workspace)
            return ChildSpec(name=name, start=make, restart=Restart.TEMPORARY)

        runtime = Runtime()
        asks = runtime.start("asks", lambda context: Supervisor(context, SupervisorSpec(max_children=32)))
        stack.callback(runtime.stop, "asks")
        bench = MemoryBench(
            folder=folder,
            asks=asks,
            outbox=runtime.mailbox("outbox"),
            chat=chat,
            waits=Waits(chat_s=limit_s),
        )
        box = runtime.start("memory", bench.make)
        stack.callback(runtime.stop, "memory")
        yield box, servers
