"""As whom a tool runs in its sandbox: never as root (spec 2.5)."""

from __future__ import annotations

from dataclasses import dataclass

SANDBOX_ID = 1000
"""User and group when nothing else tells: the first ordinary user of most systems."""
_READ, _WRITE = 0o5, 0o2
"""A folder's files are listed by the one bit and entered by the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUser:
    """A user and a group, neither of them 0. ``mapped`` says that podman maps them to the service's user.

    A rootless podman has a user namespace: without a map the tool's 1000 would be a stranger on the host,
    and what it writes would belong to nobody whom the owner knows.
    """

    uid: int
    gid: int
    mapped: bool = False

    def __str__(self) -> str:
        return f"{self.uid}:{self.gid}"


def refused(user: ToolUser, *, owner: tuple[int, int], mode: int, writes: bool) -> str | None:
    """What ``user`` may not do in a folder of ``owner``, its user and group, by its ``mode``, or None.

    >>> refused(ToolUser(uid=1000, gid=1000), owner=(0, 0), mode=0o755, writes=True)
    'write'
    """
    shift = 6 if user.uid == owner[0] else 3 if user.gid == owner[1] else 0
    may = mode >> shift & 0o7
    if may & _READ != _READ:
        return "read"
    return "write" if writes and not may & _WRITE else None


def tool_user(own: tuple[int, int], *, rootless: bool, owner: tuple[int, int] | None) -> ToolUser:
    """Choose whom to run as.

    ``own`` is our own user and group, ``rootless`` tells whether podman runs without root, ``owner`` is whose
    the first mounted folder is. A box of an ordinary user runs tools as that user. A box of root runs them
    as the folder's owner, so that what a tool writes is the owner's and what only the owner may read can be
    read; a folder of root's own is entered as ``SANDBOX_ID``, who may do there what everybody may.

    >>> str(tool_user((0, 0), rootless=False, owner=(1001, 100)))
    '1001:100'
    >>> str(tool_user((0, 0), rootless=False, owner=(0, 0)))
    '1000:1000'
    """
    if own[0] != 0:
        return ToolUser(uid=own[0], gid=own[1] or own[0], mapped=rootless)
    uid, gid = owner or (SANDBOX_ID, SANDBOX_ID)
    if uid == 0:
        return ToolUser(uid=SANDBOX_ID, gid=SANDBOX_ID)
    return ToolUser(uid=uid, gid=gid or uid)
