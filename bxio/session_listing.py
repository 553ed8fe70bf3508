"""What a listing shows of the sessions, read from their logs as far as it is asked for (spec 3.1)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

from bxcore.decide import turns
from bxcore.labels import TOP, Label
from bxcore.messages.loop import SessionInfo, SessionView
from bxcore.records import Record, User
from bxcore.session_fold import label_of
from bxcore.turn_spans import reply_of, spans
from bxio.session_store import SessionError, SessionStore, StoredSession

KEPT = 500
"""Sessions whose turns and label are remembered until their log changes."""


class SessionListing:
    """Reads only the logs that are shown, and each again only when it has changed. One thread."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._known: OrderedDict[StoredSession, tuple[int, Label]] = OrderedDict()

    def newest(self, limit: int, live: Collection[str]) -> tuple[SessionInfo, ...]:
        """At most ``limit`` sessions, the last changed first; a damaged one counts as the top label."""
        return tuple(self._info(stored, stored.session in live) for stored in self._store.list(max(0, limit)))

    def show(self, session: str, *, live: bool) -> SessionView | None:
        """A session with its turns, None when there is none. Raises ``SessionError`` for a damaged log."""
        stored = self._store.find(session)
        if stored is None:
            return None
        records = self._store.read(session)
        info = _info(stored, turns(records), label_of(records), live=live)
        return SessionView(info=info, turns=turns_of(records))

    def _info(self, stored: StoredSession, live: bool) -> SessionInfo:  # noqa: FBT001 - internal
        known = self._known.get(stored)
        if known is None:
            known = self._known[stored] = self._read(stored.session)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return _info(stored, *known, live=live)

    def _read(self, session: str) -> tuple[int, Label]:
        try:
            records = self._store.read(session)
        except SessionError:
            return 0, TOP
        return turns(records), label_of(records)


def _info(stored: StoredSession, count: int, label: Label, *, live: bool) -> SessionInfo:
    updated = datetime.fromtimestamp(stored.updated_s, UTC).isoformat(timespec="seconds")
    return SessionInfo(session=stored.session, live=live, turns=count, label=label, updated=updated)


def turns_of(records: Sequence[Record]) -> tuple[tuple[str, str | None], ...]:
    """Each turn's text and its reply, None where there is none."""
    found = (records[start:end] for start, end in spans(records))
    return tuple((turn[0].text, reply_of(turn)) for turn in found if isinstance(turn[0], User))
