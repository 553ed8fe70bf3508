"""Why there is no answer to a fetch."""

from __future__ import annotations

from bxcore.errors import SentenceError


class FetchError(SentenceError):
    """No answer came, or none was asked for. The sentence names hosts and no address behind a name."""


class NotSentError(FetchError):
    """Nothing left the box: the host has no address, or one that is not dialled."""


def late(what: str) -> FetchError:
    """The deadline passed while ``what`` went on, such as ``looking up example.org``."""
    return FetchError(f"{what} took too long; try again later")


def stopped() -> FetchError:
    """It was cut off by whoever wants it no more."""
    return FetchError("the fetch was stopped")
