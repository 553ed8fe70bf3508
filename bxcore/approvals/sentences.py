"""What the model and the person are told of an approval. Each for the model forbids another way."""

from __future__ import annotations

from bxcore.approvals.approval import Ended, How, Over

NO_OTHER_WAY = "do not try another way, tell the owner"
_MODEL = {
    How.DENIED: "the owner denied this call, and it did not run",
    How.EXPIRED: "the owner was asked and did not answer in time, and the call did not run",
    How.UNDELIVERABLE: "nobody could put this call to the owner, and it did not run",
    How.WITHDRAWN: "the question to the owner was withdrawn, and the call did not run",
}
_PERSON = {
    How.APPROVED: "was approved",
    How.SESSION: "was approved for the session",
    How.DENIED: "was denied",
    How.EXPIRED: "has expired",
    How.UNDELIVERABLE: "could not be delivered",
    How.WITHDRAWN: "was withdrawn",
}


def for_model(how: How) -> str:
    """Why the call did not run; for an approval that did not approve."""
    return f"{_MODEL[how]}; {NO_OTHER_WAY}"


def changed(what: str) -> str:
    """The owner approved a call under a grant or label that is another one by now."""
    return f"the owner approved this call, but {what} meanwhile, and it did not run; {NO_OTHER_WAY}"


def for_person(ended: Ended) -> str:
    """How it ended and by whom, for every surface that showed it."""
    by = f" by {ended.by}" if ended.by else ""
    because = " with the box's end, and did not run" if ended.box_ended else ""
    return f"{ended.code} {_PERSON[ended.how]}{by}{because}"


def already(ended: Ended) -> str:
    """How it ended, for who answers after that."""
    return for_person(ended) if ended.box_ended else f"{for_person(ended)} already"


def unknown_code(code: str) -> str:
    """No approval of that code is known."""
    named = code if code.isascii() and code.isalnum() and len(code) <= 8 else "that code"  # noqa: PLR2004
    return f"no call waits for an approval under {named}; look with bxctl approvals"


def became(over: Over) -> str | None:
    """What a turn that was cut short is told of its call; None when it may have run."""
    if over.used:
        return None
    if over.ended.box_ended:
        return "it waited for the owner's approval when the box ended; it did not run"
    if over.ended.how.approves:
        return "the owner approved it, but it was cut short before it ran; it did not run"
    return _MODEL[over.ended.how]
