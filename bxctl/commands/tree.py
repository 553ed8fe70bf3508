"""``bxctl tree``: every actor with its state."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bxcore.control import Exit
from bxcore.control.answers import NodeJson
from bxcore.control.requests import TreeRequest
from bxctl.place import socket_of
from bxctl.printing import age, as_json, data
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Show the tree."""
    roots: list[NodeJson] = Wire(socket_of(args)).call(TreeRequest())
    if args.json:
        as_json(roots)
    else:
        for root in roots:
            data("\n".join(_lines(root, "", "")))
    return Exit.OK


def _lines(node: NodeJson, lead: str, below: str) -> Iterator[str]:
    """Draw a node and its children; ``lead`` stands before it, ``below`` before what hangs under it."""
    yield f"{lead}{node['name']}  {_state(node)}"
    for number, child in enumerate(node["children"], 1):
        last = number == len(node["children"])
        yield from _lines(child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))


def _state(node: NodeJson) -> str:
    parts = [f"{node['state']} {age(node['age_s'])}"]
    if node["restarts"]:
        parts.append(f"restarts {node['restarts']}")
    if node["waiting"]:
        parts.append(f"waiting {node['waiting']}")
    if node["error"]:
        parts.append(f"last crash {node['error']}")
    return " · ".join(parts)
