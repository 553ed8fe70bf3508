"""The turns of a log that came to a reply, as memory takes them in (spec 3.1, 4.1, 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bxcore.epochs import turns_before
from bxcore.forgetting import FORGOTTEN
from bxcore.labels import Label
from bxcore.records import Record, User
from bxcore.session_fold import labels_after
from bxcore.turn_spans import reply_of, spans


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """A turn with its reply. ``at`` is ISO 8601 or empty; ``label`` is the session's when the turn ended.

    What tools gave is not in it: what recall or ask_memory returned is never remembered again.
    """

    session: str
    turn: int
    at: str
    user: str
    reply: str
    label: Label


def finished_turns(session: str, records: Sequence[Record]) -> Iterator[FinishedTurn]:
    """Every turn that came to a reply, in order; a failed, interrupted or forgotten one is left out.

    ``records`` are a log, or its epochs from a later one on.
    """
    labels = tuple(labels_after(records))
    for turn, (start, end) in enumerate(spans(records), turns_before(records) + 1):
        user = records[start]
        reply = reply_of(records[start:end])
        if isinstance(user, User) and reply is not None and (user.text, reply) != (FORGOTTEN, FORGOTTEN):
            yield FinishedTurn(
                session=session,
                turn=turn,
                at=user.at,
                user=user.text,
                reply=reply,
                label=labels[end - 1],
            )
