"""Why Honcho did not answer: one root, a kind each, and never a word of a question or an answer."""

from __future__ import annotations


class HonchoUnavailable(Exception):  # noqa: N818 - each kind is named for what happened
    """Honcho gave no usable answer; ``str`` is the kind and status as the log line shows it."""

    kind = "unavailable"
    retry_after_s: float | None = None
    """How long the server wants to be left alone, in seconds; None when it did not say."""

    def __init__(self, status: int | None = None, *, detail: str | None = None) -> None:
        self.status = status
        kind = detail or self.kind
        super().__init__(kind if status is None else f"{status}, {kind}")


class Unreachable(HonchoUnavailable):
    """No connection came to be."""

    kind = "unreachable"


class ConnectionRefused(Unreachable):
    """Nothing listens at the address."""

    kind = "the connection was refused"


class NoSuchHost(Unreachable):
    """The name in the URL has no address."""

    kind = "the host's name was not found"


class NotTrusted(Unreachable):
    """The server's certificate is not one that this box trusts; the text says why it is not."""

    kind = "the server's certificate is not trusted"


class NoTls(Unreachable):
    """The TLS handshake failed for another reason, such as a server that speaks plain HTTP."""

    kind = "the server does not speak TLS as it should"


class Late(HonchoUnavailable):
    """The deadline passed first; the text has the limit in milliseconds."""


class Unended(Late):
    """The deadline passed after the answer had begun."""


class WasCut(HonchoUnavailable):
    """The asker cut the exchange off."""

    kind = "cut off"


class Reset(HonchoUnavailable):
    """The connection ended before the whole answer was there."""

    kind = "the connection was reset"


class NotHttp(HonchoUnavailable):
    """What came back is no HTTP."""

    kind = "the answer is not HTTP"


class TokenRefused(HonchoUnavailable):
    """401: no token, a wrong one, one of another workspace, or one with an expiry."""

    kind = "the token was refused"


class Forbidden(TokenRefused):
    """403: Honcho has none of its own; a proxy in front of it does not let this box in, or not so."""

    kind = "access is forbidden"


class NoSuchWorkspace(HonchoUnavailable):
    """404 with the server's own words for a workspace that does not exist."""

    kind = "no such workspace"


class NoSuchRoute(HonchoUnavailable):
    """404 without them: a server that is no Honcho, or an old one."""

    kind = "no such route on this server"


class NoWorkspaceChat(NoSuchRoute):
    """The route that is missing is the one of workspace chat."""

    kind = "no workspace chat on this server"


class NotFound(HonchoUnavailable):
    """Another 404, such as an unknown session."""

    kind = "not found"


class Refused(HonchoUnavailable):
    """422: the server does not take what was sent, and will not take it later."""

    kind = "what was sent is refused"


class TooLarge(HonchoUnavailable):
    """413, 414 or 431: a smaller request may be taken; this one never is."""

    kind = "the server, or a proxy before it, refuses so large a request"


class TooManyRequests(HonchoUnavailable):
    """429."""

    kind = "too many requests"


class ServerFailed(HonchoUnavailable):
    """500 and the like: the cause is never in the body."""

    kind = "the server failed"


class GatewayFailed(ServerFailed):
    """502, 503 or 504: Honcho has none of its own, so a proxy in front of it does not reach it."""

    kind = "a proxy answered and its server did not"


class Unexpected(HonchoUnavailable):
    """A status that the contract does not know."""

    kind = "an unexpected status"


class Redirected(Unexpected):
    """A redirect: the question and the token are for the server that was named, and for no other."""

    kind = "a redirect, which is not followed"


class NotJson(HonchoUnavailable):
    """A success whose body is no JSON, such as a proxy's page."""

    kind = "the answer is not JSON"


class WrongShape(HonchoUnavailable):
    """A success whose JSON is not what was asked for."""

    kind = "the answer has the wrong shape"


class AnswerTooLong(HonchoUnavailable):
    """A success whose body passed the cap; the rest was not read."""

    kind = "the answer is too long"
