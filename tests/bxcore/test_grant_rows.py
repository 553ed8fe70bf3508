"""Grants in a listing: what each covers on one line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bxcore.grant_rows import rows
from bxcore.grants import BUILT_IN, Grant, Mode

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({"tool": "shell"}, "every call"),
        ({"tool": "shell", "commands": ("ls", "git")}, "commands ls git"),
        ({"tool": "read_file", "paths": ("/a", "/b")}, "paths /a /b, read-only"),
        ({"tool": "write_file", "paths": ("/a",), "read_only": False}, "paths /a"),
        (
            {"tool": "http_fetch", "hosts": ("example.org",), "methods": ("GET",)},
            "hosts example.org, methods GET",
        ),
        ({"tool": "shell", "commands": tuple("abcdefg")}, "commands a b c d e and 2 more"),
        ({"tool": "shell", "expires": NOON}, "until 2026-11-02T12:00:00+00:00"),
    ],
)
def test_a_row_says_what_a_grant_covers(fields: dict[str, object], about: str) -> None:
    grant = Grant(id="house", mode=Mode.ASK, text="house", **fields)  # type: ignore[arg-type]
    (row,) = rows([grant], NOON)
    assert row.about == about
    assert (row.id, row.mode, row.max_taint, row.when_untrusted) == ("house", "ask", "private", "ask")
    assert row.sha256 == grant.sha256


def test_an_expired_grant_is_listed_as_one() -> None:
    grant = Grant(id="house", tool="shell", mode=Mode.AUTO, text="x", expires=NOON)
    assert not rows([grant], NOON - timedelta(seconds=1))[0].expired
    assert rows([grant], NOON)[0].expired


def test_the_built_in_ones_are_rows_as_all_others_in_the_order_given() -> None:
    assert [row.id for row in rows(BUILT_IN, NOON)] == [
        "builtin-memory",
        "builtin-recall",
        "builtin-ask-memory",
    ]


@pytest.mark.parametrize(
    ("tool", "about"),
    [
        ("mcp.time.*", "every call"),
        ("mcp.time.get", "every call"),
        ("mcp.tim.*", "no call, boxmaker.toml has no MCP server tim; did you mean time?"),
        ("mcp.web.get", "no call, boxmaker.toml has no MCP server web"),
    ],
)
def test_a_grant_for_an_mcp_server_that_is_not_there_is_listed_as_one_for_no_call(
    tool: str, about: str
) -> None:
    grant = Grant(id="g", tool=tool, mode=Mode.ASK, text="x")
    assert rows([grant], NOON, frozenset({"time"}))[0].about == about
