"""Flags, subcommands and exit codes that ``boxmaker`` and ``bxctl`` share (spec 6.3).

Only the module of the command that runs is imported: a command starts in a fraction of 0.2 s.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from bxcore.control.exit_codes import Exit
from bxcore.errors import system_reason
from bxcore.paths import PathError
from bxctl.called import known, listing, retyped, speaker, typed
from bxctl.errors import CommandError
from bxctl.printing import talk
from bxctl.streams import give_up_output, prepare


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One subcommand: its module in ``bxctl.commands`` has ``arguments(parser)`` and ``run(args)``."""

    module: str
    help: str


def run(program: str, about: str, commands: Mapping[str, Command], argv: Sequence[str] | None) -> int:
    """Parse, run the command, and return its exit code."""
    prepare()
    words = list(sys.argv[1:] if argv is None else argv)
    outer = _outer(program, about, commands)
    first = outer.parse_args(words)
    if first.command is None:
        outer.print_help(sys.stderr)
        return Exit.USAGE
    if first.command not in commands:
        return _unknown(program, first.command, commands)
    return _run_one(program, first, commands[first.command])


def _outer(program: str, about: str, commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    width = max(map(len, commands))
    listing = "\n".join(f"  {name:{width}}  {command.help}" for name, command in commands.items())
    parser = argparse.ArgumentParser(
        prog=program,
        description=about,
        epilog=f"commands:\n{listing}\n\n`{program} COMMAND --help` says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _common(parser)
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="one of the commands below")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _common(parser: argparse.ArgumentParser, *, again: bool = False) -> None:
    """Add the flags that every command takes, before or behind its name."""
    default = argparse.SUPPRESS if again else None
    parser.add_argument(
        "--home", metavar="DIR", default=default, help="configuration, state and socket under one folder"
    )
    parser.add_argument("--config", metavar="FILE", default=default, help="read this boxmaker.toml first")
    parser.add_argument("--socket", metavar="PATH", default=default, help="the control socket of the process")
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS if again else False,
        help="print data as JSON",
    )


def _run_one(program: str, first: argparse.Namespace, command: Command) -> int:
    module = import_module(f"bxctl.commands.{command.module}")
    parser = argparse.ArgumentParser(
        prog=typed(first.command),
        description=command.help,
        epilog=getattr(module, "EPILOG", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _common(parser, again=True)
    module.arguments(parser)
    args, stray = parser.parse_known_intermixed_args(first.rest, namespace=first)
    if stray:
        parser.error(_stray(stray, parser, getattr(module, "STRAY", "")))
    return _exit_of(program, module.run, args)


def _stray(words: Sequence[str], parser: argparse.ArgumentParser, advice: str) -> str:
    """Say which words a command does not take; ``advice`` is for those that are no flag."""
    from bxcore.did_you_mean import hint

    flags = [
        flag for flag in parser.format_usage().replace("[", " ").replace("]", " ").split() if flag[0] == "-"
    ]
    near = hint(words[0], flags) if words[0].startswith("-") else advice
    return f"there is no place for {' '.join(words)}{near}"


def _exit_of(program: str, run_command: object, args: argparse.Namespace) -> int:
    """Run a command; what it could not do is one sentence on stderr and an exit code."""
    assert callable(run_command)
    try:
        code = int(run_command(args))
        sys.stdout.flush()
    except PathError as error:
        talk(f"{speaker(program)}: {retyped(error.sentence)}")
        return Exit.USAGE
    except KeyboardInterrupt:
        talk(f"{speaker(program)}: interrupted")
        return Exit.FAILED
    except CommandError as error:
        talk(f"{speaker(program)}: {retyped(error.sentence)}")
        return error.exit
    except BrokenPipeError:  # who read our output has left
        give_up_output()
        return Exit.FAILED
    except OSError as error:
        give_up_output()
        reason = system_reason(error)
        talk(f"{speaker(program)}: {error.filename or 'the output'} cannot be used: {reason}")
        return Exit.FAILED
    return code


def _unknown(program: str, name: str, commands: Mapping[str, Command]) -> int:
    from bxcore.did_you_mean import hint

    near = hint(name, known(commands)) or f"; {listing(program)} lists them"
    talk(f"{speaker(program)}: there is no command {name[:64]!r}{near}")
    return Exit.USAGE
