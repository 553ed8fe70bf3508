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
import mcp_types as types
from mcp import ClientSession

from bxio.mcp import bridge_lines, bridge_process
from bxio.mcp.arguments import misfit

MOST_MEMORY = 1_500_000_000
"""Bytes of address space of this process: a flood ends it, and not the device."""
MOST_PAGES = 20
"""Pages of a list of tools."""
MOST_TOOLS = 500
CHANGE_REST_S = 1.0
"""Between two looks at a list that changes."""
MOST_LOG = 1_000_000
"""Bytes of the server's own words on its standard error; then the file begins anew."""
LOOK_S = 1.0
LAST_WORDS_S = 0.1
"""For answers that came just before its end."""


class Bridge:
    """One session with one server."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._calls: dict[str, anyio.CancelScope] = {}
        self._schemas: dict[str, Mapping[str, Any]] = {}

    async def live(self, changed: Changed) -> None:
        """Shake hands, tell the box whom we met and what tools there are, and again when they are others."""
        await self._introduce()
        await self._tell_tools(changed)

    async def _introduce(self) -> None:
        met = (await self._session.initialize()).server_info
        say(ready={"server": f"{met.name} {met.version}", "tools": await self._tools()})

    async def _tell_tools(self, changed: Changed) -> None:
        while True:
            await changed.wait()
            say(tools=await self._tools())
            await anyio.sleep(CHANGE_REST_S)

    async def _tools(self) -> list[dict[str, Any]]:
        tools: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._session.list_tools(params=bridge_lines.page(cursor))
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None or len(tools) >= MOST_TOOLS:
                break
        del tools[MOST_TOOLS:]
        self._schemas = {each.name: each.input_schema for each in tools}
        return [bridge_lines.tool(each) for each in tools]

    async def call(self, key: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Make one call; what came of it is one line. Arguments that do not fit are not sent."""
        wrong = misfit(self._schemas.get(tool), arguments)
        if wrong is not None:
            say(refused=key, text=wrong)
            return
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


@asynccontextmanager
async def connected(order: Mapping[str, Any], log: TextIO, changed: Changed) -> AsyncIterator[ClientSession]:
    """Start the server and open a session; ``order`` is the box's first line."""
    async with bridge_process.started(order, log) as process:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # not before: it is inherited
        to_us, received = anyio.create_memory_object_stream[Any](0)
        said, to_it = anyio.create_memory_object_stream[Any](0)

        async def hear() -> None:
            async with to_us:
                async for message in bridge_process.messages(process):
                    await to_us.send(message)
            await anyio.sleep(LAST_WORDS_S)
            raise EOFError("it ended")

        async def tell() -> None:
            with suppress(OSError):  # then it has ended, which is heard
                async for message in to_it:
                    await bridge_process.send(process, message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hear)
            tasks.start_soon(tell)
            tasks.start_soon(look_after, process, log)
            async with ClientSession(received, said, message_handler=changed.heard) as session:
                yield session
            tasks.cancel_scope.cancel()


async def look_after(process: bridge_process.Process, log: TextIO) -> None:
    """Begin the log anew when it is full, to which the server appends; look at what has ended below."""
    while True:
        await anyio.sleep(LOOK_S)
        bridge_process.reap(process)
        if os.fstat(log.fileno()).st_size > MOST_LOG:
            os.ftruncate(log.fileno(), 0)


async def serve(log: TextIO) -> None:
    """Until the box or the server is gone."""
    said = bridge_process.lines(sys.stdin)
    order = json.loads(await anext(said))
    changed = Changed()
    async with connected(order, log, changed) as session:
        bridge = Bridge(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bridge.live, changed)  # the box may go before the server has said a word
            async for line in said:
                match json.loads(line):
                    case {"call": str(key), "tool": str(tool), "arguments": dict(arguments)}:
                        tasks.start_soon(bridge.call, key, tool, arguments)
                    case {"cancel": str(key)}:
                        bridge.cancel(key)
                    case _:
                        raise TypeError("a line of the box that nobody understands")
            tasks.cancel_scope.cancel()


def main() -> int:
    """``bridge LOG``: exit 0 when the box is gone, 1 with a sentence as the last line when the server is."""
    bridge_process.inherit_orphans()
    with open(sys.argv[1], "a", encoding="utf-8", opener=_private) as log:
        try:
            anyio.run(serve, log)
        except BaseException as error:  # noqa: BLE001 - whatever it was, the box is told in one sentence
            with suppress(OSError):
                say(end=bridge_lines.of_failure(error))
            return 1
        finally:
            bridge_process.sweep()
    return 0


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_TRUNC, 0o600)


if __name__ == "__main__":
    sys.exit(main())
