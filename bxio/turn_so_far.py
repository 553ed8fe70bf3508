"""What a running turn has shown, for who begins to watch in the middle of it (spec 3.1)."""

from __future__ import annotations

from bxcore.messages.broker import ApprovalAsked, ApprovalClosed
from bxcore.messages.loop import Notice, TextDelta, TurnEvent, TurnStarted

MOST_EVENTS = 128
"""Events that are kept, a run of text as one: half of what a client's stream holds."""
MOST_TEXT = 65_536
"""Characters of one run of text that are kept, the newest."""


class TurnSoFar:
    """Not thread-safe: the audience's lock is around it."""

    def __init__(self) -> None:
        self.started: TurnStarted | None = None
        """None while only notices were shown."""
        self._events: list[TurnEvent] = []
        self._text: list[str] = []
        self._size = 0
        self._session = ""
        self._left_out = 0

    def add(self, event: TurnEvent) -> None:
        """Keep it; a question of an approval only until it is closed."""
        if isinstance(event, TextDelta):
            self._add_text(event)
            return
        self._end_of_text()
        match event:
            case ApprovalClosed(code=code):
                self._events = [each for each in self._events if not _asks(each, code)]
                return
            case TurnStarted():
                self.started = event
            case _:
                pass
        self._keep(event)

    def events(self) -> list[TurnEvent]:
        """All that was kept, in order; what was not is said behind the turn's start."""
        self._end_of_text()
        if not self._left_out or self.started is None:
            return list(self._events)
        line = f"this turn is long: the first {self._left_out} pieces of its news are not shown"
        at = self._events.index(self.started) + 1
        return [*self._events[:at], Notice(session=self.started.session, text=line), *self._events[at:]]

    def _add_text(self, event: TextDelta) -> None:
        self._session = event.session
        self._text.append(event.text)
        self._size += len(event.text)
        if self._size > 2 * MOST_TEXT:
            self._text = ["".join(self._text)[-MOST_TEXT:]]
            self._size = MOST_TEXT

    def _end_of_text(self) -> None:
        if self._text:
            text = "".join(self._text)[-MOST_TEXT:]
            self._text, self._size = [], 0
            self._keep(TextDelta(session=self._session, text=text))

    def _keep(self, event: TurnEvent) -> None:
        last = self._events[-1] if self._events else None
        if isinstance(last, TextDelta) and isinstance(event, TextDelta):
            self._events[-1] = TextDelta(session=event.session, text=(last.text + event.text)[-MOST_TEXT:])
            return
        self._events.append(event)
        if len(self._events) > MOST_EVENTS:
            oldest = next((each for each in self._events if not _stays(each)), self._events[-1])
            self._events.remove(oldest)
            self._left_out += 1


def _stays(event: TurnEvent) -> bool:
    return isinstance(event, TurnStarted | ApprovalAsked)


def _asks(event: TurnEvent, code: str) -> bool:
    return isinstance(event, ApprovalAsked) and event.approval.code == code
