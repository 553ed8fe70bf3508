"""The turns of a chat's session while a person looks on: their own, and those of others (spec 3.1, 6.2)."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace

from bxcore.control import ErrorCode, Exit
from bxcore.control.answers import LineJson, SessionJson, TurnJson
from bxctl.called import retyped, typed
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.talking.approvals import Elsewhere
from bxctl.talking.became import Became, Interrupted, Lost, NotKnown, NotTaken, Replied, StillRuns, became
from bxctl.talking.orders import last_turns
from bxctl.talking.others_turns import OthersTurns
from bxctl.talking.outgoing import Message, Outgoing
from bxctl.talking.screen import short
from bxctl.talking.turn import Conversation, could_not_be_asked
from bxctl.talking.watching import Watching

_LOOKED_THROUGH = 50
"""Of a session's last turns, when a message is looked for in them."""
_BEHIND_S = 1.0
"""How long a turn's first line waits for the end of the turn before it, which came by another stream."""
_NEVER_TAKEN = frozenset({Exit.NOT_RUNNING})
"""How sending fails when nothing listened."""

_NOT_BEGUN = frozenset({"waiting", "queued"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is said of a turn behind its reply, when it was asked for."""

    wanted: bool

    def tell(self, turn: TurnJson, took_s: float) -> None:
        """Say the tokens and the time."""
        if self.wanted:
            usage = turn["usage"]
            talk(
                f"· turn {turn['turn']}: {usage['prompt']} tokens read, {usage['cached']} of them cached, "
                f"{usage['completion']} written, {took_s:.1f} s"
            )


class LiveTurns:
    """Shows every turn of one session, and has a person's messages become turns.

    ``conversation`` is how the person's own are shown.
    """

    def __init__(self, conversation: Conversation, facts: Facts) -> None:
        self.conversation = conversation
        self._their_way = replace(conversation, approvals=Elsewhere(answers=True))
        self._facts = facts
        self.outgoing = Outgoing()
        self.watching = Watching(conversation.wire, conversation.session)
        self.others = OthersTurns()
        self._box: int | None = None
        self._turns = 0
        """The number of the session's last turn that is known."""
        self._news: list[LineJson] = []

    def open(self) -> SessionJson | None:
        """Begin to watch; the session as it is, None when nothing was said in it. Raises ``CommandError``."""
        self.watching.open()
        self._box = self.watching.box
        if self.watching.refused is not None:
            talk(f"turns of others are not shown here: {retyped(self.watching.refused)}")
        wire, session = self.conversation.wire, self.conversation.session
        shown = last_turns(wire, session, _LOOKED_THROUGH)
        self._turns = 0 if shown is None else shown["turns"]
        return shown

    def close(self) -> None:
        """Leave; what runs goes on."""
        self.outgoing.close()
        self.watching.leave()

    @property
    def busy(self) -> bool:
        """Whether there is a turn to look at, or a message to have through."""
        return bool(self.outgoing) or self.others.running

    # What the person says.

    def say(self, text: str) -> None:
        """Have a text become a turn, in its order."""
        if not self.outgoing.add(text):
            talk("8 of your messages wait, the most there may be; this one was not sent")
            return
        if self.watching.gone:
            talk(f"· waits for boxmaker to come back: {short(text)}")
        self.send()

    def send(self) -> None:
        """Send what may be sent now."""
        if not self.watching.gone:
            self.outgoing.send(self._send)

    def _send(self, message: Message) -> None:
        message.before, message.began_s = self._turns, time.monotonic()
        try:
            message.lines = self.conversation.wire.stream(self.conversation.request(message.text))
        except CommandError as error:
            self._not_sent(message, error)
        message.sends += 1

    def _not_sent(self, message: Message, error: CommandError) -> None:
        """A "no" is told and ends it; a box that was not there has it wait; else it is looked for."""
        if error.exit in _NEVER_TAKEN:
            self._box_has_gone()
        elif error.exit in {Exit.FAILED, Exit.TIMED_OUT} and not self.conversation.wire.answers():
            message.lost = True
            self._box_has_gone()
        else:
            self.outgoing.over(message)
            talk(retyped(error.sentence))

    # What their streams tell.

    def hear(self, message: Message) -> None:
        """Take the next line of an own message; a stream that has ended before its turn is looked into."""
        self._take_line(message)
        if message.lost and not self.watching.gone:
            self.watch_again()
        self.send()

    def _take_line(self, message: Message) -> None:
        """Take its next line. At the end of its stream it is lost: the box has ended, or this connection."""
        assert message.lines is not None
        try:
            line = next(message.lines, None)
        except CommandError:
            line = None
        if line is not None:
            self._own_line(message, line)
        elif message.taken_back and not message.begun:
            self.outgoing.over(message)
            self._between_lines(f"· taken back: {short(message.text)}")
        else:
            message.lines.close()
            message.lines, message.lost = None, True
            self.conversation.approvals.forget()

    def _hear_the_last(self) -> None:
        """Hear what an ended box had sent still, so that each message that it lost is known to be.

        One that was not would be passed by those behind it. A stream that is not ready is of the new box.
        """
        for mine in self.outgoing:
            while mine in self.outgoing and mine.lines is not None and mine.lines.ready(0.0):
                self._take_line(mine)

    def _own_line(self, message: Message, line: LineJson) -> None:
        message.heard = message.heard or line["kind"] != "waiting"
        message.begun = message.begun or line["kind"] not in _NOT_BEGUN
        match line["kind"]:
            case "queued":
                self._queued(message, line["place"])
            case "turn_started":
                self._began(message, line["turn"])
            case "result":
                self._own_result(message, line)
            case "error":
                self.outgoing.over(message)
                self.conversation.approvals.leave_line()
                error = line["error"]
                talk(retyped(CommandError(ErrorCode.read(error["error"]).exit, error["sentence"]).sentence))
                self._show_theirs(self.others.settle(self.outgoing.texts()))
            case _:
                message.unasked = message.unasked or could_not_be_asked(line)
                message.shown = _shown(message.shown, line)
                self.conversation.show(line)

    def _queued(self, message: Message, place: int) -> None:
        if message is self.outgoing.first_waiting:
            self._show_theirs(self.others.waits())
        message.place = place
        self._between_lines(f"· queued at place {place}: {short(message.text)}")

    def _began(self, message: Message, number: int) -> None:
        self._have_theirs_out()
        message.turn, self._turns = number, max(number, self._turns)
        message.began_s = time.monotonic()
        self._show_theirs(self.others.began(number, self.outgoing.texts()))
        if message.taken_back:
            self._between_lines(f"· it had begun, /stop ends it: {short(message.text)}")
        elif message.place is not None:
            self._between_lines(f"· now: {short(message.text)}")

    def _have_theirs_out(self) -> None:
        """Show the end of another's turn before an own one: the watch may be an instant behind."""
        until_s = time.monotonic() + _BEHIND_S
        while self.others.running and (lines := self.watching.lines) is not None:
            if not lines.ready(max(0.0, until_s - time.monotonic())):
                return
            if self.look():
                self.show_news()

    def _own_result(self, message: Message, line: LineJson) -> None:
        turn = line["result"]
        if message.turn is None and turn["turn"]:  # a turn that failed before it had begun has none
            self._show_theirs(self.others.began(turn["turn"], self.outgoing.texts()))
        self._turns = max(turn["turn"], self._turns)
        self.conversation.finish(turn, line.get("failed"), unasked=message.unasked)
        self.conversation.approvals.forget()
        self._facts.tell(turn, time.monotonic() - message.began_s)
        self.outgoing.over(message)

    # What the watch tells.

    def look(self) -> bool:
        """Take what the watch has; whether any of it is to be shown, or is the watch's end."""
        if self.watching.gone:
            return self.watching.due_s() == 0
        try:
            for line in self.watching.take():
                if line["kind"] == "turn_started":
                    self._have_mine_out(line["turn"])
                    self._turns = max(self._turns, line["turn"])
                self._news += self.others.take(line, self.outgoing.texts())
        except CommandError:
            self.watch_again()
            return True
        return bool(self._news)

    def show_news(self) -> None:
        """Show what ``look`` found; try to have a box back that has gone."""
        news, self._news = self._news, []
        self._show_theirs(news)
        if self.watching.gone and self.watching.due_s() == 0 and self.watching.open():
            self._box_is_back()

    def _have_mine_out(self, number: int) -> None:
        """Show the end of an own turn before another's next one: its stream may be an instant behind."""
        until_s = time.monotonic() + _BEHIND_S
        for mine in self.outgoing:
            while mine.turn is not None and mine.turn < number and mine.lines is not None:
                if not mine.lines.ready(max(0.0, until_s - time.monotonic())):
                    return
                self.hear(mine)
                if mine not in self.outgoing:
                    break

    def _show_theirs(self, lines: Collection[LineJson]) -> None:
        for line in lines:
            if line["kind"] == "turn_started":
                self._between_lines(f"[{line.get('speaker') or 'someone'}] {line.get('text', '')}")
            elif line["kind"] == "result":
                self._their_way.finish(line["result"], line.get("failed"), unasked=False)
            else:
                self._their_way.show(line)

    def _between_lines(self, text: str) -> None:
        self.conversation.approvals.leave_line()
        self.conversation.screen.leave_line()
        talk(text)
        self.conversation.approvals.disturbed()

    # The box goes and comes.

    def watch_again(self) -> None:
        """A connection has ended: the box has, or that connection alone."""
        if self.watching.open():
            self.others.lost()
            self._box_is_back()
        else:
            self._tell_gone()

    def _box_has_gone(self) -> None:
        self.watching.lose()
        self._tell_gone()

    def _tell_gone(self) -> None:
        self.others.lost()
        self.conversation.approvals.forget()
        self._between_lines(
            "boxmaker has gone; this chat goes on when it is back, Ctrl-C or /quit ends the wait"
        )

    def _box_is_back(self) -> None:
        """Tell what became of each message whose stream was lost."""
        same = self.watching.box is not None and self.watching.box == self._box
        if not same:
            talk("boxmaker is back")
            self._hear_the_last()
        self._box = self.watching.box
        try:
            self.settle(same_box=same)
        except CommandError:
            self._box_has_gone()
        self.send()

    def settle(self, *, same_box: bool) -> None:
        """Look in the log for what was lost; raises ``CommandError`` when the box does not answer."""
        lost = [each for each in self.outgoing if each.lost]
        if not lost:
            return
        wire, session = self.conversation.wire, self.conversation.session
        shown = last_turns(wire, session, _LOOKED_THROUGH)
        known = set(self.others.theirs)
        for message in lost:
            was = Lost(text=message.text, before=message.before, turn=message.turn, sends=message.sends)
            found = became(was, shown, known, same_box=same_box)
            if isinstance(found, Replied | Interrupted | StillRuns):
                known.add(found.number)
            self._tell_became(message, found)
        self._turns = max(self._turns, 0 if shown is None else shown["turns"])

    def _tell_became(self, message: Message, found: Became) -> None:
        quoted = short(message.text)
        match found:
            case NotTaken():
                message.again()
                talk(f"· sent again, for it was not taken: {quoted}")
                return
            case Replied(number=number, turn=turn):
                self._tell_reply(message, number, turn["reply"], turn["failed"])
            case Interrupted(number=number):
                talk(f"turn {number} was interrupted by boxmaker's end and is not run again: {quoted}")
            case StillRuns(number=number):
                talk(f"· turn {number} runs on: {quoted}")
                self.others.give_up(number)
            case NotKnown():
                talk(f"it is not known whether this was taken, so it is not sent again: {quoted}")
                talk(f"{typed('sessions')} show {self.conversation.session} has what was")
        self.outgoing.over(message)

    def _tell_reply(self, message: Message, number: int, reply: str | None, failed: str | None) -> None:
        if reply is None:
            talk(f"turn {number} has no reply: {retyped(failed or 'it was interrupted')}")
        elif message.shown.strip() != reply.strip():
            talk(f"· turn {number} had its reply:")
            self.conversation.screen.say(reply)


def _shown(before: str, line: LineJson) -> str:
    """What stands of a reply, behind a line of its turn."""
    if line["kind"] == "text_delta":
        return before + line["text"]
    return "" if line["kind"] == "tool_started" else before
