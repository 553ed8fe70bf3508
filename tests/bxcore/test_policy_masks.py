from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bxcore.grants import Grant, GrantSet, Mode
from bxcore.labels import NEW_SESSION
from bxcore.policy import Call, Ruling, decide
from bxcore.policy.masks import masked
from bxcore.repeats import TurnCalls

NOW = datetime(2025, 3, 1, tzinfo=UTC)


def no(tool: str, *paths: str, expires: datetime | None = None) -> Grant:
    return Grant(id=f"no-{tool}", tool=tool, mode=Mode.DENY, text="", paths=paths, expires=expires)


GRANTS = GrantSet.of([no("read_file", "/n/read", "/b"), no("write_file", "/n/write", "/b")])


@pytest.mark.parametrize(
    ("tool", "hidden"),
    [
        ("read_file", ("/b", "/n/read")),
        ("write_file", ("/b", "/n/write")),
        ("shell", ("/b", "/n/read", "/n/write")),
        ("http_fetch", ()),
        ("recall", ()),
    ],
)
def test_a_tool_s_run_does_not_see_what_the_owner_denied_it(tool: str, hidden: tuple[str, ...]) -> None:
    assert masked(tool, GRANTS, NOW) == hidden


def test_only_an_explicit_no_that_is_in_force_hides_a_folder() -> None:
    auto = Grant(id="a", tool="read_file", mode=Mode.AUTO, text="", paths=("/n",))
    over = no("read_file", "/old", expires=NOW)
    still = no("write_file", "/new", expires=NOW + timedelta(seconds=1))
    assert masked("shell", GrantSet.of([auto, over, still, no("read_file")]), NOW) == ("/new",)


def test_where_a_denied_link_led_stays_hidden() -> None:
    link = Grant(id="no", tool="read_file", mode=Mode.DENY, text="", paths=("/l",), real_paths=("/n/s",))
    assert masked("read_file", GrantSet.of([link]), NOW) == ("/l", "/n/s")


def test_a_call_that_may_run_tells_what_its_run_must_not_see() -> None:
    auto = Grant(id="a", tool="shell", mode=Mode.AUTO, text="", paths=("/n",))
    call = Call(
        tool="shell", arguments='{"command":"ls"}', state=NEW_SESSION, calls=TurnCalls(turn=1), said=None
    )
    verdict = decide(call, [auto, *GRANTS], NOW)
    assert (verdict.outcome, verdict.masked) == (Ruling.ALLOW, ("/b", "/n/read", "/n/write"))
