"""What a listing shows of the sessions, read from their logs as far as it is asked for (spec 3.1)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bxcore.decide import turns
from bxcore.labels import TOP, Label
from bxcore.messages.loop import SessionInfo, SessionView, TurnText
from bxcore.records import Record, Usage, User
from bxcore.session_fold import label_of
from bxcore.session_title import title_of
from bxcore.turn_spans import reply_of, spans
from bxio.session_store import SessionError, SessionStore, StoredSession

KEPT = 500
"""Sessions of which what was read is remembered until their log changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What the log of a session tells in a line."""

    turns: int
    label: Label
    title: str


_DAMAGED = _Read(turns=0, label=TOP, title="(its log is damaged; sessions show says where)")


class SessionListing:
    """Reads only the logs that are shown, and each again only when it has changed. Any thread."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[StoredSession, _Read] = OrderedDict()

    def newest(self, limit: int, live: Mapping[str, int]) -> tuple[SessionInfo, ...]:
        """At most ``limit`` sessions, the last changed first; a damaged one counts as the top label.

        ``live`` has the sessions that live, each with the number of its waiting messages.
        """
        stored = self._store.list(max(0, limit))
        return tuple(_info(each, self._read_once(each), live) for each in stored)

    def show(self, session: str, *, last: int, live: Mapping[str, int]) -> SessionView | None:
        """A session with its ``last`` turns, None when there is none. Raises ``SessionError`` for damage."""
        stored = self._store.find(session)
        if stored is None:
            return None
        records = self._store.read(session)
        said = turns_of(records)
        return SessionView(
            info=_info(stored, _read(records), live),
            turns=said[max(0, len(said) - last) :],
            first=max(0, len(said) - last) + 1,
        )

    def _read_once(self, stored: StoredSession) -> _Read:
        with self._lock:
            known = self._known.get(stored)
        if known is None:
            try:
                known = _read(self._store.read(stored.session))
            except SessionError:
                known = _DAMAGED
            self._remember(stored, known)
        return known

    def _remember(self, stored: StoredSession, read: _Read) -> None:
        with self._lock:
            self._known[stored] = read
            if len(self._known) > KEPT:
                self._known.popitem(last=False)


def _read(records: Sequence[Record]) -> _Read:
    return _Read(turns=turns(records), label=label_of(records), title=title_of(records))


def _info(stored: StoredSession, read: _Read, live: Mapping[str, int]) -> SessionInfo:
    updated = datetime.fromtimestamp(stored.updated_s, UTC).isoformat(timespec="seconds")
    return SessionInfo(
        session=stored.session,
        live=stored.session in live,
        turns=read.turns,
        label=read.label,
        updated=updated,
        title=read.title,
        waiting=live.get(stored.session, 0),
    )


def turns_of(records: Sequence[Record]) -> tuple[TurnText, ...]:
    """Each turn's text with its reply, or with why it has none."""
    found = (records[start:end] for start, end in spans(records))
    return tuple(_turn_of(turn[0], turn) for turn in found if isinstance(turn[0], User))


def _turn_of(user: User, turn: Sequence[Record]) -> TurnText:
    failed = next((each.failed for each in reversed(turn) if isinstance(each, Usage)), None)
    return TurnText(user=user.text, reply=reply_of(turn), failed=failed)
