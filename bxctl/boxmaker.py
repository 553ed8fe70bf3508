"""``boxmaker``: start the box, talk to it, set it up (spec 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bxctl.command_line import Command, run

COMMANDS: Mapping[str, Command] = {
    "chat": Command(module="chat", help="talk to your agent; it is started when it does not run"),
    "serve": Command(module="serve", help="run the supervised process in the foreground"),
    "init": Command(module="init", help="write a commented boxmaker.toml and example grants"),
    "image": Command(module="image", help="build the image that tools run in, or show which it is"),
    "check": Command(
        module="check", help="every problem of the configuration and the grants, with file and line"
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit codes are those of ``bxcore.control.Exit``."""
    return run(
        "boxmaker", "A personal agent in one supervised process, on a box of your own.", COMMANDS, argv
    )


if __name__ == "__main__":
    raise SystemExit(main())
