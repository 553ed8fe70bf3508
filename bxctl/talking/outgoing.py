"""What a person has said in a chat and what has become of it: not sent yet, waiting in the box, or a turn.

The box runs a session's messages in the order in which they reach it, so the next one is sent when the one
before it has shown that it arrived.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bxctl.turn_lines import TurnLines

MOST_WAITING = 8
"""Messages of one chat behind its running turn; each holds a connection."""


@dataclass(slots=True, kw_only=True, eq=False)
class Message:
    """One text. ``lines`` is its stream, None while it is not sent or when it was lost.

    ``before`` is the number of the session's last turn that was known when it was sent; ``turn`` its own.
    """

    text: str
    lines: TurnLines | None = None
    before: int = 0
    turn: int | None = None
    place: int | None = None
    heard: bool = False
    begun: bool = False
    """Whether the box has told more of it than its place."""
    lost: bool = False
    taken_back: bool = False
    """Whether it is to be; the end of its stream says that it was."""
    sends: int = 0
    began_s: float = 0.0
    shown: str = ""
    """What was streamed of its reply."""
    unasked: bool = False
    """Whether a call of it ended since nobody could be asked."""

    def again(self) -> None:
        """The box did not take it: it is as if it had not been sent."""
        self.lost = self.heard = self.begun = False
        self.turn = self.place = None


class Outgoing:
    """The messages of one chat that are not over, the oldest first."""

    def __init__(self) -> None:
        self._all: deque[Message] = deque()

    def __len__(self) -> int:
        """How many are not over."""
        return len(self._all)

    def __iter__(self) -> Iterator[Message]:
        """The oldest first; what ends meanwhile does no harm."""
        return iter(tuple(self._all))

    def add(self, text: str) -> bool:
        """Have it sent when its turn has come; False when too many wait."""
        if len(self._all) > MOST_WAITING:
            return False
        self._all.append(Message(text=text))
        return True

    def over(self, message: Message) -> None:
        """It has its result, or never will."""
        if message.lines is not None:
            message.lines.close()
        self._all.remove(message)

    def send(self, to_box: Callable[[Message], None]) -> None:
        """Send what may be sent: nothing behind one that was not heard of, nothing while one is lost."""
        for message in self:
            if message.lost or (message.lines is not None and not message.heard):
                return
            if message.lines is None:
                to_box(message)
                if message in self._all:  # it is heard of first, or waits for the box
                    return

    @property
    def running(self) -> Message | None:
        """The one that the box has begun, or that was sent and told no place: it need not wait."""
        sent = (each for each in self if each.lines is not None)
        return next((each for each in sent if each.begun or each.place is None), None)

    @property
    def first_waiting(self) -> Message | None:
        """The first one that has not begun."""
        return next((each for each in self if each.turn is None), None)

    def texts(self) -> tuple[str, ...]:
        """What was sent and has not begun."""
        return tuple(each.text for each in self if each.turn is None and each.lines is not None)

    def take_back(self) -> int:
        """Take back all that waits; how many had not been sent, which is all that it takes for them."""
        unsent = [each for each in self if each.lines is None]
        for each in unsent:
            self.over(each)
        running = self.running
        for each in self:
            if each is not running and each.lines is not None:
                each.taken_back = True
                each.lines.take_back()
        return len(unsent)

    @property
    def taking_back(self) -> bool:
        """Whether the box has not said yet what became of one that is taken back."""
        return any(each.taken_back and not each.begun for each in self)

    def close(self) -> None:
        """Leave; a running turn goes on."""
        for each in self:
            self.over(each)
