"""What a person has said in a chat, sent in its order."""

from __future__ import annotations

from typing import Any, cast

from bxctl.talking.outgoing import Message, Outgoing
from bxctl.turn_lines import TurnLines


class Stream:
    """A stream that tells nothing; it can be closed."""

    def close(self) -> None:
        self.closed = True


def stream() -> TurnLines:
    return cast("TurnLines", cast("Any", Stream()))


class Sent:
    """Whom messages are sent to: a box that takes them, is not there, or says no."""

    def __init__(self, outgoing: Outgoing) -> None:
        self.texts: list[str] = []
        self._outgoing = outgoing

    def taken(self, message: Message) -> None:
        self.texts.append(message.text)
        message.lines = stream()

    def refused(self, message: Message) -> None:
        self.texts.append(message.text)
        self._outgoing.over(message)

    def nobody(self, message: Message) -> None:
        self.texts.append(message.text)


def three() -> tuple[Outgoing, Sent]:
    outgoing = Outgoing()
    for text in ("one", "two", "three"):
        assert outgoing.add(text)
    return outgoing, Sent(outgoing)


def test_several_that_wait_are_sent_one_by_one_as_each_is_heard_of() -> None:
    outgoing, box = three()
    for texts in (["one"], ["one", "two"], ["one", "two", "three"]):
        outgoing.send(box.taken)
        assert box.texts == texts
        outgoing.send(box.taken)
        assert box.texts == texts
        next(each for each in outgoing if each.text == texts[-1]).heard = True


def test_behind_one_that_was_refused_the_next_is_sent() -> None:
    outgoing, box = three()
    outgoing.send(box.refused)
    assert box.texts == ["one", "two", "three"]
    assert not outgoing


def test_nothing_passes_one_that_nobody_was_there_for() -> None:
    outgoing, box = three()
    outgoing.send(box.nobody)
    assert box.texts == ["one"]


def test_nothing_passes_one_that_was_lost() -> None:
    outgoing, box = three()
    first = next(iter(outgoing))
    outgoing.send(box.taken)
    first.heard, first.lost, first.lines = True, True, None
    outgoing.send(box.taken)
    assert box.texts == ["one"]
    first.again()
    outgoing.send(box.taken)
    assert box.texts == ["one", "one"]
