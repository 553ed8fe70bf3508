"""Fetch: makes one request of the Internet, answers, and ends (spec 2.5).

Its thread blocks in the exchange. What ends it is the call's own deadline, and the cut of its sockets and
children: by an asker who gives up, or by whoever wants the actor stopped.
"""

from __future__ import annotations

from typing import assert_never

from actors.base import Actor, Context
from bxcore.args import HttpFetchArgs
from bxcore.errors import SentenceError
from bxcore.fetch_hop import first_hop
from bxcore.fetch_target import Target, parse
from bxcore.fetched import Fetched, answer, failure, unread
from bxcore.grants import Grant
from bxcore.messages.runner import NobodyRuns, RunTool, ToolRunMessage
from bxcore.page_text import NotReadable
from bxcore.policy.hosts import refuse_redirect
from bxcore.tool_answer import ToolAnswer
from bxio.cut import Cut
from bxio.fetch.dialer import Dialer
from bxio.fetch.fetching import fetch
from bxio.fetch.page import text_of

IDLE_S = 1.0
"""How long it waits for its call, which is sent right behind its start."""


class Fetch(Actor):
    """A temporary child: one ``RunTool`` with ``HttpFetchArgs``, one ``ToolAnswer``, then the end."""

    def __init__(self, context: Context, *, dialer: Dialer) -> None:
        super().__init__(context)
        self._dialer = dialer
        self._cut = Cut()

    def on_start(self) -> None:
        """Wait for the call, not for ever: it may have expired unread."""
        self.tell_later(IDLE_S, NobodyRuns())

    def on_receive(self, message: ToolRunMessage) -> None:
        """Fetch, and end."""
        match message:
            case RunTool():
                self._run(message)
            case NobodyRuns():
                pass
            case _:
                assert_never(message)
        self.end()

    def cut(self) -> None:
        """Shut down what the fetch may be blocked on. Any thread."""
        self._cut.cut()

    def _run(self, call: RunTool) -> None:
        reply = self.reply_later()
        if reply is None:  # told: nobody waits for an answer
            return
        reply.on_abandon(self._cut.cut)
        reply.set(self._outcome(call, min(self.now() + call.limit_s, reply.deadline_s)))

    def _outcome(self, call: RunTool, deadline_s: float) -> ToolAnswer:
        try:
            fetched = self._fetched(call, deadline_s)
            return self._told(fetched, deadline_s)
        except SentenceError as error:  # no answer: each kind of it has its sentence
            return failure(error.sentence)

    def _fetched(self, call: RunTool, deadline_s: float) -> Fetched:
        args, grant = call.args, call.grant
        assert isinstance(args, HttpFetchArgs)

        def refuse(target: Target, method: str) -> str | None:
            return refuse_redirect(target, method, grant, call.stricter)

        return fetch(
            first_hop(parse(args.url), args.method, args.headers, args.body),
            self._dialer,
            refuse,
            max_bytes=_most(args, grant),
            deadline_s=deadline_s,
            cut=self._cut,
        )

    def _told(self, fetched: Fetched, deadline_s: float) -> ToolAnswer:
        if fetched.method == "HEAD" or not fetched.body:
            return answer(fetched, "")
        try:
            return answer(fetched, text_of(fetched, deadline_s, self._cut))
        except NotReadable as error:
            return unread(fetched, error.sentence)


def _most(args: HttpFetchArgs, grant: Grant) -> int:
    return args.max_bytes if grant.max_bytes is None else min(args.max_bytes, grant.max_bytes)
