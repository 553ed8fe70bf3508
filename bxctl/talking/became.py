"""What became of a message whose stream was lost, by the session's log as the box shows it (spec 3.1).

A message is sent again only when the box surely did not take it: another process answers, and no turn in the
log can be it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from bxcore.control.answers import SessionJson, TurnTextJson

MOST_SENDS = 3
"""A message that was there at so many ends of the box may be their cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """It had its reply, or failed; ``turn`` is as the log has it."""

    number: int
    turn: TurnTextJson


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The box ended in the middle of its turn, which is not run again."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StillRuns:
    """Only the connection was lost."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """The box ended before it took it: it may be sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """It may have been taken, so it is not sent again."""


Became: TypeAlias = Replied | Interrupted | StillRuns | NotTaken | NotKnown


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A message whose stream was lost: its text, the session's turns before it, its turn if it had begun."""

    text: str
    before: int
    turn: int | None
    sends: int


def became(lost: Lost, shown: SessionJson | None, theirs: Collection[int], *, same_box: bool) -> Became:
    """Tell it; ``shown`` is the session with its last turns, None when there is none.

    ``theirs`` are the turns that others are known to have asked for.
    """
    turns = {} if shown is None else dict(enumerate(shown["said"], shown["first"]))
    number = lost.turn
    if number is None:
        new = {at: turn for at, turn in turns.items() if at > lost.before and at not in theirs}
        same = [at for at, turn in new.items() if turn["user"] == lost.text]
        if not same:
            unseen = shown is not None and shown["first"] > lost.before + 1
            surely_not = not (new or unseen or same_box) and lost.sends < MOST_SENDS
            return NotTaken() if surely_not else NotKnown()
        number = same[0]
    turn = turns.get(number)
    if turn is None:
        return NotKnown()
    if turn["reply"] is None and turn["failed"] is None:
        return StillRuns(number=number) if same_box else Interrupted(number=number)
    return Replied(number=number, turn=turn)
