from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from bxcore.grants import BUILT_IN, Grant, GrantSet, Mode

READ = Grant(id="g", tool="read_file", mode=Mode.AUTO, text="")
LISTED = ("a", "b", "c", "d", "e", "f", "g")


@pytest.mark.parametrize(
    ("grant", "about"),
    [
        (READ, "the work folder"),
        (replace(READ, paths=("/n", "/m")), "/n, /m, read-only"),
        (replace(READ, tool="write_file", paths=("/n",), read_only=False), "/n, writable"),
        (replace(READ, mode=Mode.DENY, paths=("/n",)), "/n"),
        (replace(READ, tool="shell"), "any command"),
        (
            replace(READ, tool="shell", commands=LISTED, paths=("/n",)),
            "a, b, c, d, e and 2 more in /n, read-only",
        ),
        (replace(READ, tool="http_fetch", mode=Mode.DENY), "any method at any host"),
        (
            replace(READ, tool="http_fetch", methods=("GET",), hosts=("a.org", "*.b.org:8443")),
            "GET at a.org, *.b.org:8443",
        ),
        (
            replace(READ, expires=datetime(2027, 1, 1, tzinfo=UTC)),
            "the work folder, until 2027-01-01T00:00:00+00:00",
        ),
        (BUILT_IN[0], "built in"),
    ],
)
def test_a_grant_says_on_one_line_what_it_covers(grant: Grant, about: str) -> None:
    assert grant.about == about


def test_a_set_of_grants_has_each_tools_by_id_in_whatever_order_they_came() -> None:
    grants = [replace(READ, id=f"g{n}", tool=("read_file", "shell")[n % 2]) for n in range(9)]
    shuffled = [*grants]
    Random(7).shuffle(shuffled)
    made = GrantSet.of(shuffled)
    assert made == GrantSet.of(grants)
    assert [grant.id for grant in made.for_tool("shell")] == ["g1", "g3", "g5", "g7"]
    assert made.for_tool("http_fetch") == ()
    assert (len(made), [*made]) == (9, grants)
