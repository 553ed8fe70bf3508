"""HonchoSearch: searches one workspace once, answers, and ends (spec 4.3)."""

from __future__ import annotations

from actors.honcho_errand import HonchoErrand
from bxcore.honcho_found import MOST, capped
from bxcore.messages.honcho_search import Found, FoundMessage, Search, SearchOutcome, SearchUnavailable
from bxio.honcho import HonchoUnavailable


class HonchoSearch(HonchoErrand[Search]):
    """A temporary child: one ``Search``, one ``Found`` or ``SearchUnavailable``, then the end.

    A ``Found`` is capped in number and size, whatever the server sent (``bxcore.honcho_found``).
    """

    def outcome(self, message: Search, deadline_s: float) -> SearchOutcome:
        """Search."""
        limit = max(1, min(message.limit, MOST))
        try:
            found = self.client.search(self.workspace, message.query, limit, deadline_s, self.cutting)
        except HonchoUnavailable as unavailable:
            return SearchUnavailable(error=str(unavailable))
        messages = (
            FoundMessage(peer=one.peer_id, content=one.content, at=one.created_at, metadata=one.metadata)
            for one in found[:limit]
        )
        return Found(messages=tuple(capped(each) for each in messages))
