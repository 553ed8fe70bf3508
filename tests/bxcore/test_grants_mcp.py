"""Grants for tools of MCP servers, as an owner writes them (spec 2.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxcore.grants import Grants, load


def loaded(folder: Path, text: str) -> Grants:
    (folder / "g.toml").write_text(text)
    return load(folder)


@pytest.mark.parametrize(
    ("tool", "about"),
    [
        ("mcp.time.*", "any tool of the MCP server time"),
        ("mcp.time.get", "this tool of the MCP server time"),
    ],
)
def test_a_grant_names_one_tool_or_all_of_a_server(tmp_path: Path, tool: str, about: str) -> None:
    found = loaded(tmp_path, f'tool = "{tool}"\nmode = "ask"\ntime_limit_ms = 5000\n')
    assert found.problems == ()
    (grant,) = found.grants
    assert (grant.tool, grant.about, grant.untrusted, grant.time_limit_ms) == (tool, about, True, 5000)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (
            'tool = "mcp.Time.get"\nmode = "ask"\n',
            1,
            "tool is no tool of an MCP server; write mcp.SERVER.TOOL",
        ),
        ('tool = "mcp.*"\nmode = "ask"\n', 1, "tool is no tool of an MCP server"),
        ('tool = "mcp.t.*"\nmode = "ask"\nhosts = ["a.b"]\n', 3, "hosts is no key of a grant for mcp.t.*"),
        ('tool = "mcp.t.x"\nmode = "ask"\nmemory_mb = 1\n', 3, "memory_mb is no key of a grant for mcp.t.x"),
        ('tool = "mcp.t.x"\nmode = "ask"\nread_only = true\n', 3, "read_only is no key"),
    ],
)
def test_what_no_such_grant_has_is_told(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    (problem,) = loaded(tmp_path, text).problems
    assert (problem.line, sentence in problem.problem) == (line, True), problem


def test_examples_are_tried(tmp_path: Path) -> None:
    text = 'tool = "mcp.t.x"\nmode = "auto"\n[[examples]]\ncall = { a = 1 }\nexpect = "ask"\n'
    (problem,) = loaded(tmp_path, text).problems
    assert "comes out as allow, not ask" in problem.problem
