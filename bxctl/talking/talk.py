"""A chat at a terminal: a prompt, and a keyboard that is listened to while turns run (spec 6.2).

One thread: at the prompt readline has the keyboard, and news of the session interrupts it; while a turn runs,
of this chat or of another, lines are taken as they are typed, and the box queues what they say.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import FrameType

from bxcore import session_ids
from bxcore.control.answers import SessionJson
from bxctl.called import retyped
from bxctl.errors import CommandError
from bxctl.printing import data, talk
from bxctl.talking import orders, slash
from bxctl.talking.asking import ANSWERS, read_typed
from bxctl.talking.editor import Editor, NewsError
from bxctl.talking.history import History
from bxctl.talking.live_turns import Facts, LiveTurns
from bxctl.talking.turn import Conversation
from bxctl.wire import SILENCE_S

LEAVING = "Ctrl-D or /quit leaves, /help lists what else there is"

_ENDS = re.compile(r"\r\n|\r|\n")
"""Of lines; what was typed in the instant in which readline lets go of the keyboard may come as several."""


class Talk:
    """Talks until the person leaves. ``history`` is None where none is kept."""

    def __init__(self, conversation: Conversation, *, history: History | None, facts: Facts) -> None:
        self._facts = facts
        self._turns = LiveTurns(conversation, facts)
        self._history = history
        self._editor = Editor(line.text for line in (history.lines() if history is not None else ()))
        self._leaving = False
        self._half = ""
        self._stop_next = False
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._keyboard = sys.stdin.fileno()
        self._woken, self._wake = os.pipe()

    @property
    def _session(self) -> str:
        return self._turns.conversation.session

    def run(self) -> None:
        """Prompt, send and show, until there is nothing more to say. Raises ``CommandError`` at its start."""
        shown = self._turns.open()
        if self._history is None and shown is not None:
            self._remember(shown)
        talk(f"session {self._session}; Ctrl-C stops a turn, Ctrl-D or /quit leaves, /help says more")
        try:
            while not self._leaving:
                if self._turns.busy:
                    self._attend()
                else:
                    self._prompt()
        finally:
            self._turns.close()

    def _remember(self, shown: SessionJson) -> None:
        for turn in shown["said"]:
            self._editor.remember(turn["user"])

    # At the prompt.

    def _prompt(self) -> None:
        watching = self._turns.watching
        socket = None if watching.lines is None else watching.lines.fileno()
        try:
            text = self._editor.ask(self._turns.look, socket, watching.due_s())
        except NewsError:
            self._half = self._editor.half()
            self._turns.show_news()
            if not self._turns.busy:
                self._give_half_back()
        except EOFError:
            print()
            self._leaving = True
        except KeyboardInterrupt:
            print()
            talk(LEAVING)
        except UnicodeDecodeError:
            talk("that was not UTF-8 text; it was not sent")
        else:
            self._take(text)

    def _take(self, line: str) -> None:
        """Do what a line says, typed at the prompt or while a turn runs."""
        typed = slash.read(line)
        if typed is None:
            return
        if isinstance(typed, slash.Mistyped):
            talk(typed.sentence)
            return
        self._editor.remember(line.strip())
        if self._history is not None:
            self._history.add(self._session, line.strip())
        if isinstance(typed, slash.Said):
            self._turns.say(typed.text)
        else:
            self._try(typed)

    def _try(self, order: slash.Order) -> None:
        try:
            self._do(order)
        except CommandError as error:
            talk(retyped(error.sentence))

    def _do(self, order: slash.Order) -> None:
        wire = self._turns.conversation.wire
        match order.name:
            case "help":
                data(slash.help_text())
            case "stop":
                self._stop(order.rest)
            case "new":
                self._new(order.rest)
            case "sessions":
                orders.show_sessions(wire)
            case "memory":
                orders.show_memory(wire, order.rest)
            case "label":
                orders.show_label(wire, self._session)
            case _:
                self._leave()

    def _stop(self, rest: str) -> None:
        if rest not in {"", "all"}:
            talk("write /stop, or /stop all to take back what waits of yours too")
            return
        if rest == "all":
            _tell_back(self._turns.outgoing.take_back())
            if self._turns.outgoing.taking_back:
                self._stop_next = True  # at once, what waits would begin before it is taken back
                return
        orders.stop(self._turns.conversation.wire, self._session)

    def _new(self, name: str) -> None:
        """Go on in another session; a turn that runs here would be out of sight."""
        if self._turns.outgoing:
            talk("a turn of yours runs or waits here; /stop all ends it, then /new")
            return
        session = name or f"chat-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        problem = session_ids.problem(session)
        if problem is not None:
            talk(problem)
            return
        self._turns.close()
        self._turns = LiveTurns(replace(self._turns.conversation, session=session), self._facts)
        shown = self._turns.open()
        begun = "begins" if shown is None else f"goes on behind its turn {shown['turns']}"
        talk(f"session {session} {begun}")

    def _leave(self) -> None:
        running = self._turns.outgoing.running is not None
        _tell_back(self._turns.outgoing.take_back())
        if running:
            talk("the turn goes on in the box")
        self._leaving = True

    # While a turn runs.

    def _attend(self) -> None:
        with self._interruptible():
            while self._turns.busy and not self._leaving:
                self._once()
        self._give_half_back()

    def _give_half_back(self) -> None:
        """Have the prompt begin with what was typed when news came."""
        half, self._half = self._half, ""
        self._editor.keep(half)

    def _once(self) -> None:
        """Wait for one thing to happen, and see to it."""
        ready = self._wait()
        for message in self._turns.outgoing:
            if message.lines is not None and (message.lines.in_hand() or message.lines.fileno() in ready):
                self._turns.hear(message)
        if self._stop_next and not self._turns.outgoing.taking_back:
            self._stop_next = False
            self._try(slash.Order(name="stop"))
        if self._turns.look():
            self._turns.show_news()
        if self._keyboard in ready:
            self._typed(read_typed(self._keyboard))
        if self._woken in ready:
            os.read(self._woken, 64)
            self._take_back()

    def _wait(self) -> set[int]:
        turns = self._turns
        lines = [each.lines for each in turns.outgoing if each.lines is not None]
        watch = turns.watching.lines
        streams = lines if watch is None else [*lines, watch]
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        for stream in streams:
            poll.register(stream, select.POLLIN)
        if turns.conversation.approvals.listens:
            poll.register(self._keyboard, select.POLLIN)
        if any(each.in_hand() for each in streams):
            wait_s = 0.0
        else:
            due_s = turns.watching.due_s()
            wait_s = SILENCE_S if due_s is None else due_s
        return {descriptor for descriptor, _ in poll.poll(wait_s * 1000)}

    def _typed(self, typed: bytes) -> None:
        approvals = self._turns.conversation.approvals
        if approvals.asks:
            approvals.typed(typed)
        elif not typed:
            self._leave()
        else:
            *lines, self._half = _ENDS.split(self._half + self._decode(typed))
            for line in lines:
                self._take_while_a_turn_runs(line)

    def _take_while_a_turn_runs(self, line: str) -> None:
        turns, word = self._turns, line.strip().lower()
        if word in ANSWERS and turns.conversation.approvals.answers and turns.outgoing.running is not None:
            talk(f"nothing is asked now, and {word} was not sent; say it in more words, or behind the turn")
            return
        self._take(line)

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """The first Ctrl-C ends the person's own turn or takes back what waits; the second one leaves."""
        stopping = None

        def on_interrupt(number: int, frame: FrameType | None) -> None:
            nonlocal stopping
            running = self._turns.outgoing.running
            if running is not None and running is stopping:
                signal.default_int_handler(number, frame)
            stopping = running
            if running is not None:
                self._turns.conversation.stop()
                return
            with contextlib.suppress(OSError):
                os.write(self._wake, b"c")

        before = signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _take_back(self) -> None:
        """Ctrl-C, and no own turn runs."""
        if self._turns.outgoing:
            _tell_back(self._turns.outgoing.take_back())
        else:
            talk(f"the turn is another's; /stop ends it, {LEAVING}")


def _tell_back(count: int) -> None:
    if count:
        talk("1 message was taken back" if count == 1 else f"{count} messages were taken back")
