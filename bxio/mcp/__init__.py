"""MCP servers: a process of ours that holds the official client, and its owner's end of the pipes."""
