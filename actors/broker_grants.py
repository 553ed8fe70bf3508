"""The grants in force: read at the start, read again on the owner's word, each time audited (spec 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bxcore.grant_rows import rows
from bxcore.grants import BUILT_IN, Grants
from bxcore.messages.audit import AuditMessage, GrantsLoaded
from bxcore.messages.broker import GrantsView
from bxcore.policy import GrantSet


class BadGrants(Exception):  # noqa: N818 - a start that cannot be
    """The set that is there at the start has problems; its text says all of them."""


class BrokerGrants:
    """``load`` reads the owner's set; ``write`` puts an audit record on disk, or gives a sentence why not."""

    def __init__(
        self,
        load: Callable[[], Grants],
        write: Callable[[AuditMessage], int | str],
        *,
        wall: Callable[[], datetime],
    ) -> None:
        self._load = load
        self._write = write
        self._wall = wall
        self._problems: tuple[str, ...] = ()
        self._known = False
        self.set = GrantSet.of(BUILT_IN)

    def start(self) -> None:
        """Read them. Raises ``BadGrants``: no call is decided by half a set."""
        found = self._load()
        if found.problems:
            raise BadGrants("; ".join(_sentences(found)))
        self.set = GrantSet.of((*BUILT_IN, *found.grants))
        self.make_known()

    def make_known(self) -> None:
        """Have the set of the start in the audit before any call; while that fails, no call runs either."""
        if not self._known:
            self._known = isinstance(self._write(_loaded(self.set, "start")), int)

    def reload(self) -> GrantsView:
        """Read them again; with a problem, or when it cannot be audited, the old set stays."""
        found = self._load()
        self._problems = _sentences(found)
        if self._problems:
            self._write(
                _loaded(self.set, f"reload refused, {len(self._problems)} problems; the old set stays")
            )
            return self.view()
        new = GrantSet.of((*BUILT_IN, *found.grants))
        written = self._write(_loaded(new, "reload"))
        if isinstance(written, str):
            self._problems = (f"the old set stays, the audit cannot be written: {written}",)
        else:
            self.set, self._known = new, True
        return self.view()

    def view(self) -> GrantsView:
        """The grants in force, and what is wrong with the set that was read last."""
        return GrantsView(grants=rows(self.set, self._wall()), problems=self._problems)


def _sentences(found: Grants) -> tuple[str, ...]:
    return tuple(f"{problem.file}:{problem.line}: {problem.problem}" for problem in found.problems)


def _loaded(grants: GrantSet, why: str) -> GrantsLoaded:
    return GrantsLoaded(grants=tuple((grant.id, grant.sha256) for grant in grants), why=why)
