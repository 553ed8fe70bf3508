"""Where a call goes: a file, a host or a command line, and which grants reach there (spec 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bxcore.args import Args, ArgsError, HttpFetchArgs, McpArgs, ReadFileArgs, ShellArgs, WriteFileArgs
from bxcore.grants.grant import Grant
from bxcore.policy.commands import CommandLine
from bxcore.policy.files import File
from bxcore.policy.hosts import Place
from bxcore.policy.mcp_server import McpServer


class Destination(Protocol):
    """One call's destination. A grant's permission needs ``covers``; its caution counts where it ``touches``.

    What a grant covers it touches too. They differ for a command line, of which a grant may reach a part.
    """

    @property
    def about(self) -> str:
        """The destination in plain words, for the owner."""

    @property
    def unclear(self) -> str | None:
        """Why it cannot be told what the call reaches, for the model; None when it can."""

    @property
    def keys(self) -> Iterable[str] | None:
        """What the grants that may touch it are filed under; None for any of them."""

    def covers(self, grant: Grant) -> bool:
        """Whether the grant reaches all of it."""

    def touches(self, grant: Grant) -> bool:
        """Whether the grant reaches any of it, or that cannot be told."""

    def missing(self, grants: Sequence[Grant]) -> str:
        """What no grant covers, for the model: a part of its own call, and nothing of what grants hold.

        ``grants`` are those near it that permit anything.
        """

    def named(self, said: str) -> bool:
        """Whether the destination stands as a whole in the owner's message."""


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The destination of a tool of the box itself: each grant for it covers each call."""

    about: str = "a tool of the box itself"
    unclear: None = None
    keys: None = None

    def covers(self, grant: Grant) -> bool:  # noqa: ARG002 (as every destination)
        """Each grant does."""
        return True

    touches = covers

    def missing(self, grants: Sequence[Grant]) -> str:  # noqa: ARG002 (as every destination)
        """Nothing can be."""
        raise AssertionError("each grant covers a tool of the box itself")

    def named(self, said: str) -> bool:  # noqa: ARG002 (as every destination)
        """There is none to be named."""
        return True


NOWHERE = Nowhere()


def of(args: Args) -> Destination:
    """The destination of checked arguments; raises ``ArgsError`` for a URL that is not fetched."""
    match args:
        case ReadFileArgs():
            return File(tool=args.TOOL, path=args.normalised(), written=args.path)
        case WriteFileArgs():
            return File(tool=args.TOOL, path=args.normalised(), written=args.path, writes=True)
        case ShellArgs():
            return CommandLine.of(args.command)
        case HttpFetchArgs():
            return _place(args)
        case McpArgs():
            return McpServer.of(args)
        case _:
            return NOWHERE


def _place(args: HttpFetchArgs) -> Place:
    from bxcore.fetch_target import TargetError, parse

    try:
        return Place(target=parse(args.url), method=args.method, written=args.url)
    except TargetError as error:
        raise ArgsError(error.sentence) from None
