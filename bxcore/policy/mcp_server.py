"""An MCP server as the destination of a call: its grants name the tool itself (spec 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bxcore import mcp_names
from bxcore.args import McpArgs
from bxcore.grants.grant import Grant
from bxcore.policy.named import stands_in


@dataclass(frozen=True, slots=True)
class McpServer:
    """Each grant that names the tool, or all of its server, covers each call of it."""

    server: str
    unclear: None = None
    keys: None = None

    @classmethod
    def of(cls, args: McpArgs) -> Self:
        """The server of a call."""
        found = mcp_names.split(args.TOOL)
        assert found is not None, "such arguments are read for such names alone"
        return cls(found[0])

    @property
    def about(self) -> str:
        """Which server it is."""
        return f"the MCP server {self.server}"

    def covers(self, grant: Grant) -> bool:  # noqa: ARG002 (as every destination)
        """Each grant for the tool does."""
        return True

    touches = covers

    def missing(self, grants: Sequence[Grant]) -> str:  # noqa: ARG002 (as every destination)
        """Nothing can be."""
        raise AssertionError("each grant for a tool covers its server")

    def named(self, said: str) -> bool:
        """Whether the owner names the server, as a whole word or in quotes."""
        return stands_in(said, self.server)
