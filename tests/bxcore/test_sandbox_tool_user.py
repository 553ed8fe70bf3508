"""As whom tools run, and what such a user may do in a folder."""

from __future__ import annotations

import pytest

from bxcore.sandbox.tool_user import ToolUser, refused, tool_user


@pytest.mark.parametrize(
    ("own", "rootless", "owner", "expected"),
    [
        ((0, 0), False, (1001, 100), ToolUser(uid=1001, gid=100)),
        ((0, 0), False, (0, 0), ToolUser(uid=1000, gid=1000)),
        ((0, 0), False, None, ToolUser(uid=1000, gid=1000)),
        ((0, 0), False, (1001, 0), ToolUser(uid=1001, gid=1001)),
        ((1002, 50), True, (1001, 100), ToolUser(uid=1002, gid=50, mapped=True)),
    ],
)
def test_no_tool_runs_as_root(
    own: tuple[int, int], owner: tuple[int, int] | None, expected: ToolUser, *, rootless: bool
) -> None:
    assert tool_user(own, rootless=rootless, owner=owner) == expected


@pytest.mark.parametrize(
    ("owner", "mode", "reading", "writing"),
    [
        ((1000, 0), 0o700, None, None),
        ((1000, 0), 0o077, "read", "read"),
        ((1000, 0), 0o577, None, "write"),
        ((0, 1000), 0o770, None, None),
        ((0, 1000), 0o747, "read", "read"),
        ((0, 0), 0o755, None, "write"),
        ((0, 0), 0o774, "read", "read"),
        ((0, 0), 0o771, "read", "read"),
        ((0, 0), 0o777, None, None),
    ],
)
def test_the_mode_s_bits_of_the_user_s_own_class_decide(
    owner: tuple[int, int], mode: int, reading: str | None, writing: str | None
) -> None:
    user = ToolUser(uid=1000, gid=1000)
    assert refused(user, owner=owner, mode=mode, writes=False) == reading
    assert refused(user, owner=owner, mode=mode, writes=True) == writing
