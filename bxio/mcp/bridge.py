"""Speaks MCP with one server through the official client, and JSON lines with the box (``bridge_lines``).

A process of its own: what a server sends is read and parsed here, within a bound of memory, and the box never
imports the client. It ends with its standard input, also when the box was killed, and takes the server and
what that has started along.

Lines of the box: the server to start, then ``call`` and ``cancel``. Lines to the box: ``ready``, ``tools``
whenever they are others, ``answer``, and ``end`` as the last one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TextIO

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

from bxio.mcp import bridge_lines

MOST_MEMORY = 1_500_000_000
"""Bytes of address space of this process: a flood ends it, and not the device."""
MOST_READ = 65_536
"""Bytes of the box's lines that are read at once."""
MOST_PAGES = 20
"""Pages of a list of tools."""
MOST_TOOLS = 1000
MOST_LOG = 1_000_000
"""Bytes of the server's own words on its standard error; then the file begins anew."""
LOG_LOOK_S = 1.0


class Bridge:
    """One session with one server."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._calls: dict[str, anyio.CancelScope] = {}

    async def introduce(self) -> None:
        """Shake hands, and tell the box whom we met and what tools there are."""
        met = (await self._session.initialize()).server_info
        say(ready={"server": f"{met.name} {met.version}", "tools": await self._tools()})

    async def tell_tools(self, changed: Changed) -> None:
        """Tell the tools anew each time that the server says they are others."""
        while True:
            await changed.wait()
            say(tools=await self._tools())

    async def _tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._session.list_tools(params=bridge_lines.page(cursor))
            tools += [bridge_lines.tool(each) for each in page.tools]
            cursor = page.next_cursor
            if cursor is None or len(tools) >= MOST_TOOLS:
                break
        return tools[:MOST_TOOLS]

    async def call(self, key: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Make one call; what came of it is one line."""
        with anyio.CancelScope() as self._calls[key]:
            try:
                result = await self._session.call_tool(tool, dict(arguments))
            except Exception as error:  # noqa: BLE001 - the client raises many kinds; each ends this call alone
                if not bridge_lines.is_end(error):  # then what it did is unknown, and the end is told
                    say(answer=key, ok=False, text=bridge_lines.of_error(error))
            else:
                say(answer=key, ok=not result.is_error, text=bridge_lines.of_result(result))
        self._calls.pop(key, None)

    def cancel(self, key: str) -> None:
        """Nobody waits for that call any more."""
        scope = self._calls.get(key)
        if scope is not None:
            scope.cancel()


class Changed:
    """That the server's tools are others; several such news before a look are one."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    async def heard(self, message: object) -> None:
        """Take a message of the server's."""
        if bridge_lines.is_new_list(message):
            self._event.set()

    async def wait(self) -> None:
        """Until there is such news."""
        await self._event.wait()
        self._event = anyio.Event()


def say(**line: Any) -> None:
    """Write one line to the box."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def lines() -> AsyncIterator[Mapping[str, Any]]:
    """The box's lines, until it is gone."""
    rest = b""
    while True:
        await anyio.wait_readable(sys.stdin)
        piece = os.read(sys.stdin.fileno(), MOST_READ)
        if not piece:
            return
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield json.loads(line)


@asynccontextmanager
async def connected(order: Mapping[str, Any], log: TextIO, changed: Changed) -> AsyncIterator[ClientSession]:
    """Start the server and open a session; ``order`` is the box's first line."""
    program, *words = order["command"]
    server = StdioServerParameters(command=program, args=words, env=order["env"], cwd=order["folder"])
    async with stdio_client(server, errlog=log) as (read, write):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # not before: it is inherited
        send, receive = anyio.create_memory_object_stream[Any](0)

        async def pump() -> None:
            async with send:
                async for message in read:
                    await send.send(message)
            raise EOFError("it ended")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump)
            async with ClientSession(receive, write, message_handler=changed.heard) as session:
                yield session
            tasks.cancel_scope.cancel()


async def bounded(log: TextIO) -> None:
    """Begin the log anew when it is full; the server appends to it."""
    while True:
        await anyio.sleep(LOG_LOOK_S)
        if os.fstat(log.fileno()).st_size > MOST_LOG:
            os.ftruncate(log.fileno(), 0)


async def serve(log: TextIO) -> None:
    """Until the box or the server is gone."""
    said = lines()
    order = await anext(said)
    changed = Changed()
    async with connected(order, log, changed) as session:
        bridge = Bridge(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bounded, log)
            await bridge.introduce()
            tasks.start_soon(bridge.tell_tools, changed)
            async for line in said:
                match line:
                    case {"call": str(key), "tool": str(tool), "arguments": dict(arguments)}:
                        tasks.start_soon(bridge.call, key, tool, arguments)
                    case {"cancel": str(key)}:
                        bridge.cancel(key)
                    case _:
                        raise TypeError("a line of the box that nobody understands")
            tasks.cancel_scope.cancel()


def main() -> int:
    """``bridge LOG``: exit 0 when the box is gone, 1 with a sentence as the last line when the server is."""
    with open(sys.argv[1], "a", encoding="utf-8", opener=_private) as log:
        try:
            anyio.run(serve, log)
        except BaseException as error:  # noqa: BLE001 - whatever it was, the box is told in one sentence
            with suppress(OSError):
                say(end=bridge_lines.of_failure(error))
            return 1
    return 0


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_TRUNC, 0o600)


if __name__ == "__main__":
    sys.exit(main())
