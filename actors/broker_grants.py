"""The grants in force: read at the start, read again on the owner's word, each time audited (spec 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loguru import logger

from bxcore.grant_rows import rows
from bxcore.grants import BUILT_IN, Grants
from bxcore.messages.audit import AuditMessage, GrantsLoaded
from bxcore.messages.broker import GrantsView
from bxcore.policy import GrantSet


class BadGrants(Exception):  # noqa: N818 - a start that cannot be
    """The set that is there at the process's start has problems; its text says all of them."""


class OwnersGrants:
    """Reads the owner's set; keeps the last good one over all incarnations of the broker.

    ``tell`` hears what is wrong with the set that was read last, nothing when it is in force. ``servers`` are
    the MCP servers that there are; a grant for another one is no problem, it allows nothing.
    """

    def __init__(
        self,
        load: Callable[[], Grants],
        tell: Callable[[tuple[str, ...]], object] = lambda _problems: None,
        servers: frozenset[str] = frozenset(),
    ) -> None:
        self.load = load
        self.tell = tell
        self.servers = servers
        self.last: GrantSet | None = None


class BrokerGrants:
    """The broker's own; ``write`` puts an audit record on disk, or gives a sentence why not."""

    def __init__(
        self,
        owners: OwnersGrants,
        write: Callable[[AuditMessage], int | str],
        *,
        wall: Callable[[], datetime],
    ) -> None:
        self._owners = owners
        self._write = write
        self._wall = wall
        self._problems: tuple[str, ...] = ()
        self._why = "start"
        self._known = False
        self.set = GrantSet.of(BUILT_IN)

    def start(self) -> None:
        """Read them. No call is decided by half a set: a bad one leaves the last good one in force.

        Raises ``BadGrants`` where this process has had none.
        """
        found = self._owners.load()
        problems = _sentences(found)
        if not problems:
            self._owners.last = GrantSet.of((*BUILT_IN, *found.grants))
        elif self._owners.last is None:
            raise BadGrants("; ".join(problems))
        else:
            self._why = f"start refused, {len(problems)} problems; the old set stays"
            for problem in problems:
                logger.error("broker: the old grants stay in force: {}", problem)
        self.set = self._owners.last
        self._note(problems)
        self.make_known()

    def make_known(self) -> None:
        """Have the set of the start in the audit before any call; while that fails, no call runs either."""
        if not self._known:
            self._known = isinstance(self._write(_loaded(self.set, self._why)), int)

    def reload(self) -> GrantsView:
        """Read them again; with a problem, or when it cannot be audited, the old set stays."""
        found = self._owners.load()
        problems = _sentences(found)
        if problems:
            self._write(_loaded(self.set, f"reload refused, {len(problems)} problems; the old set stays"))
        else:
            problems = self._put_in_force(GrantSet.of((*BUILT_IN, *found.grants)))
        self._note(problems)
        return self.view()

    def _put_in_force(self, new: GrantSet) -> tuple[str, ...]:
        """Put a good set in force once it is in the audit; what is in the way of that."""
        written = self._write(_loaded(new, "reload"))
        if isinstance(written, str):
            return (f"the old set stays, the audit cannot be written: {written}",)
        self.set = self._owners.last = new
        self._known = True
        return ()

    def _note(self, problems: tuple[str, ...]) -> None:
        self._problems = problems
        self._owners.tell(problems)

    def view(self) -> GrantsView:
        """The grants in force, and what is wrong with the set that was read last."""
        return GrantsView(grants=rows(self.set, self._wall(), self._owners.servers), problems=self._problems)


def _sentences(found: Grants) -> tuple[str, ...]:
    return tuple(f"{problem.file}:{problem.line}: {problem.problem}" for problem in found.problems)


def _loaded(grants: GrantSet, why: str) -> GrantsLoaded:
    return GrantsLoaded(grants=tuple((grant.id, grant.sha256) for grant in grants), why=why)
