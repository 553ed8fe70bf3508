"""What an asker may get instead of an answer, and the one exception that is replied (spec 5.2)."""

# ruff: noqa: N818 - these names are what the asker is told, in the field's words

from __future__ import annotations

from bxcore.errors import SentenceError


class Refusal(SentenceError):
    """The only exception that is replied without killing the actor; ``sentence`` is for people and models."""


class NoRoom(Refusal):
    """There is no room now, and nothing was begun: the same may be asked again later."""


class Told(Exception):
    """The kernel's own reason for an end; its text holds names and type names only, so it may be shown."""


class NeverReady(Told):
    """An actor failed at its start or was not ready within its budget."""


class ChildNeverReady(NeverReady):
    """A supervisor whose child failed at its start, of which the child itself has told."""


class GaveUp(Told):
    """A supervisor's children were restarted too often."""


def shown(error: BaseException) -> str:
    """What may be shown of an exception: its type's name, or a sentence that is meant for people."""
    return str(error) if isinstance(error, Refusal | Told) else type(error).__qualname__


class CallError(Exception):
    """An ask that got no answer: ``address`` is whom it was for, ``sentence`` says what happened.

    ``happened`` is the sentence without its advice, for who must not follow it.
    """

    address: str
    happened: str
    sentence: str

    def __init__(self, address: str, happened: str, *, advice: str = "") -> None:
        super().__init__(address)
        self.address = address
        self.happened = happened
        self.sentence = happened + advice

    def __str__(self) -> str:
        return self.sentence


class Busy(CallError):
    """The mailbox is full; nothing was left in it."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"{address} is busy: its mailbox is full", advice=", try again")


class Dead(CallError):
    """The actor is stopped and nothing will start it again by itself."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"{address} is stopped and will not answer")


class Restarting(CallError):
    """The actor went down before it answered and comes back: a retry may help."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"{address} was restarted before it answered", advice=", try again")


class Crashed(CallError):
    """The actor crashed on this very message. ``error_type`` names the exception's type, never its text."""

    def __init__(self, address: str, error_type: str) -> None:
        super().__init__(address, f"{address} crashed on this request ({error_type})")
        self.error_type = error_type


class Expired(CallError):
    """The message's deadline had passed before the actor could take it; it was dropped unread."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"{address} could not take the request before its deadline")


class TimedOut(CallError, TimeoutError):
    """The asker's time is over; a later answer becomes a dead letter."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"{address} did not answer in time")
