"""Fetch: makes one request of the Internet, answers, and ends (spec 2.5).

Its thread blocks in the exchange. What ends it is the call's own deadline, and the cut of its sockets and
children: by an asker who gives up, or by whoever wants the actor stopped.
"""

from __future__ import annotations

from actors.base import Context, Errand, Reply
from bxcore.args import HttpFetchArgs
from bxcore.errors import SentenceError
from bxcore.fetch_hop import first_hop
from bxcore.fetch_target import Target, parse
from bxcore.fetched import Fetched, answer, failure, unread
from bxcore.grants import Grant
from bxcore.messages.runner import RunTool
from bxcore.page_text import NotReadable
from bxcore.policy.hosts import refuse_redirect
from bxcore.tool_answer import ToolAnswer, not_begun
from bxio.fetch.dialer import Dialer
from bxio.fetch.errors import NotSentError
from bxio.fetch.fetching import fetch
from bxio.fetch.page import text_of


class Fetch(Errand[RunTool]):
    """A temporary child: one ``RunTool`` with ``HttpFetchArgs``, one ``ToolAnswer``, then the end."""

    def __init__(self, context: Context, *, dialer: Dialer) -> None:
        super().__init__(context)
        self._dialer = dialer

    def run(self, message: RunTool, reply: Reply) -> None:
        """Fetch, and answer; a cut shuts down the exchange."""
        reply.on_abandon(self.cutting.cut)
        reply.set(self._outcome(message, min(self.now() + message.limit_s, reply.deadline_s)))

    def _outcome(self, call: RunTool, deadline_s: float) -> ToolAnswer:
        try:
            fetched = self._fetched(call, deadline_s)
            return self._told(fetched, deadline_s)
        except NotSentError as error:
            return not_begun(error.sentence)
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
            cut=self.cutting,
        )

    def _told(self, fetched: Fetched, deadline_s: float) -> ToolAnswer:
        if fetched.method == "HEAD" or not fetched.body:
            return answer(fetched, "")
        try:
            return answer(fetched, text_of(fetched, deadline_s, self.cutting))
        except NotReadable as error:
            return unread(fetched, error.sentence)


def _most(args: HttpFetchArgs, grant: Grant) -> int:
    return args.max_bytes if grant.max_bytes is None else min(args.max_bytes, grant.max_bytes)
