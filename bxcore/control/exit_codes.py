"""Exit codes of the commands, and the kinds of "no" that the control socket answers (spec 6.3)."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Exit(IntEnum):
    """What a command's exit says; 3 and 4 as systemctl has them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_RUNNING = 3
    NO_SUCH_THING = 4
    REFUSED = 5
    TIMED_OUT = 6


class ErrorCode(StrEnum):
    """Why a request was not done; the wire's word for it."""

    BAD_REQUEST = "bad_request"
    NO_SUCH_ROUTE = "no_such_route"
    WRONG_METHOD = "wrong_method"
    NO_SUCH_THING = "no_such_thing"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    BUSY = "busy"
    DOWN = "down"
    TIMED_OUT = "timed_out"
    FAILED = "failed"

    @property
    def status(self) -> int:
        """The HTTP status that carries it."""
        return _STATUS[self]

    @property
    def exit(self) -> Exit:
        """The exit code of a command that got it."""
        return _EXIT.get(self, Exit.FAILED)

    @classmethod
    def read(cls, text: object) -> ErrorCode:
        """Read the wire's word; one that a newer process says is a plain failure."""
        return next((code for code in cls if code.value == text), cls.FAILED)


_STATUS = {
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.NO_SUCH_ROUTE: 404,
    ErrorCode.WRONG_METHOD: 405,
    ErrorCode.NO_SUCH_THING: 404,
    ErrorCode.REFUSED: 403,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.TOO_SLOW: 408,
    ErrorCode.BUSY: 503,
    ErrorCode.DOWN: 503,
    ErrorCode.TIMED_OUT: 504,
    ErrorCode.FAILED: 500,
}
_EXIT = {
    ErrorCode.BAD_REQUEST: Exit.USAGE,
    ErrorCode.NO_SUCH_THING: Exit.NO_SUCH_THING,
    ErrorCode.REFUSED: Exit.REFUSED,
    ErrorCode.DOWN: Exit.NOT_RUNNING,
    ErrorCode.TIMED_OUT: Exit.TIMED_OUT,
}
