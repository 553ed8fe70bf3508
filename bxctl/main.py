"""``bxctl``: the operator's command line over the control socket (spec 6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bxctl.command_line import Command, run

COMMANDS: Mapping[str, Command] = {
    "status": Command(module="status", help="how the box does, on one screen; exits 3 when it is not well"),
    "tree": Command(module="tree", help="every actor with its state"),
    "restart": Command(module="restart", help="restart an actor, or all with --all"),
    "stop": Command(module="stop", help="stop an actor and keep it stopped"),
    "start": Command(module="start", help="start an actor that was stopped"),
    "inspect": Command(module="inspect", help="what is known of one actor"),
    "stack": Command(module="stack", help="where an actor's thread is now"),
    "dead-letters": Command(module="dead_letters", help="what was sent and never handled"),
    "sessions": Command(module="sessions", help="list sessions, show one, end one"),
    "chat": Command(module="chat", help="talk to your agent"),
    "approvals": Command(module="approvals", help="what waits for your word: list it, show one, watch"),
    "approve": Command(module="approve", help="let a pending call run, once or for its session"),
    "deny": Command(module="deny", help="refuse a pending call"),
    "grants": Command(module="grants", help="list the grants, reload them, explain a decision"),
    "audit": Command(module="audit", help="the record of every call: tail, show one, verify the chain"),
    "doctor": Command(module="doctor", help="everything that matters, how it is, and what to do"),
    "memory": Command(
        module="memory", help="what is remembered: see it, correct it, undo, forget, search, import"
    ),
    "ask": Command(module="ask", help="ask memory directly"),
    "prompt-size": Command(module="prompt_size", help="the tokens of each part of a new session's start"),
    "version": Command(module="version", help="the versions of this command and of the process"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit codes are those of ``bxcore.control.Exit``."""
    return run("bxctl", "Look at a running boxmaker and steer it.", COMMANDS, argv)


if __name__ == "__main__":
    raise SystemExit(main())
