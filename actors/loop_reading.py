"""Reads the sessions' logs for a listing, so that the loop does not; a room of ``actors/loop.py``."""

from __future__ import annotations

from actors.base import Context, Errand, Refusal, Reply
from bxcore.messages.loop import ListSessions, ReadSessions, ShowSession
from bxio.session_listing import SessionListing
from bxio.session_store import SessionError


class Reading(Errand[ReadSessions]):
    """An errand; ``listing`` is shared by all of them and remembers what it has read."""

    def __init__(self, context: Context, *, listing: SessionListing) -> None:
        super().__init__(context)
        self._listing = listing

    def run(self, message: ReadSessions, reply: Reply) -> None:
        """Read what is wished for; a damaged log that was to be shown is a sentence."""
        match message.wish:
            case ListSessions(limit=limit):
                reply.set(self._listing.newest(limit, message.live))
            case ShowSession(session=session, last=last):
                try:
                    reply.set(self._listing.show(session, last=last, live=message.live))
                except SessionError as error:
                    reply.fail(Refusal(error.sentence))
