"""``bxctl prompt-size``: the tokens of each part of a new session's start (spec 3.2)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxcore.control.answers import PromptSizeJson
from bxcore.control.requests import PromptSizeRequest
from bxctl.place import socket_of
from bxctl.printing import as_json, data, table, talk
from bxctl.wire import Wire


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Show the parts and their sum; exits 1 when a new session could not start."""
    sizes: PromptSizeJson = Wire(socket_of(args)).call(PromptSizeRequest())
    fits = sizes["total"] <= sizes["limit"]
    if args.json:
        as_json(sizes)
    else:
        rows = [(row["part"], str(row["tokens"])) for row in sizes["parts"]]
        data(table([*rows, ("total", f"{sizes['total']} of {sizes['limit']}")], ("PART", "TOKENS")))
        if sizes["estimated"]:
            talk("estimated: the model has no tokenizer that can be asked")
    return Exit.OK if fits else Exit.FAILED
