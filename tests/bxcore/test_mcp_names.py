"""Names of MCP servers' tools: one name, one tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.mcp_names import MAX_NAME, every, fit_server, granted_server, joined, split


@given(st.text(), st.text())
def test_a_name_that_was_joined_is_split_into_the_same(server: str, tool: str) -> None:
    name = joined(server, tool)
    if name is not None:
        assert split(name) == (server, tool)
        assert len(name) <= MAX_NAME


@pytest.mark.parametrize(("server", "tool"), [("time", "get"), ("a-1", "x.y"), ("t", "-x"), ("t", "A_b-C.9")])
def test_plain_names_are_joined(server: str, tool: str) -> None:
    assert joined(server, tool) == f"mcp.{server}.{tool}"


@pytest.mark.parametrize(
    ("server", "tool"),
    [
        ("time", ""), ("time", ".x"), ("time", "a b"), ("time", "a/b"), ("time", "é"), ("time", "x\n"),
        ("Time", "x"), ("1t", "x"), ("a.b", "x"), ("", "x"), ("t" * 25, "x"), ("t", "x" * 60), ("t", "*"),
    ],
)  # fmt: skip
def test_odd_names_are_none(server: str, tool: str) -> None:
    assert joined(server, tool) is None
    assert split(f"mcp.{server}.{tool}") is None or (server, tool) == ("a.b", "x")


def test_two_servers_never_share_a_name() -> None:
    assert split("mcp.a.b.x") == ("a", "b.x")
    assert joined("a.b", "x") is None


def test_a_grant_names_one_tool_or_all_of_a_server() -> None:
    assert granted_server("mcp.time.get") == granted_server(every("time")) == "time"
    for odd in ("mcp.*", "mcp..*", "mcp.Time.*", "mcp.time", "mcp.time.", "mcp.a.b.*", "shell", "mcp.*.get"):
        assert granted_server(odd) is None


def test_the_longest_server_may_be_called_so() -> None:
    assert fit_server("t" * 24)
    assert not fit_server("t" * 25)
    assert not fit_server("time\n")
