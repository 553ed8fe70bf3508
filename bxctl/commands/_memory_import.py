"""``bxctl memory import``: what files of another agent would bring, the owner's yes, and what it brought."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from bxcore.control import Exit
from bxcore.control.memory import ImportJson
from bxctl import importing, memory_text
from bxctl.commands._would import unwanted, wanted
from bxctl.errors import CommandError
from bxctl.importing import Pieces
from bxctl.place import socket_of
from bxctl.printing import as_json, data, talk
from bxctl.progress import Progress
from bxctl.wire import Wire


def take_in(args: Namespace, path: Path) -> int:
    """Take a file in, or a folder of them; exits 1 when something of it was refused."""
    found = importing.found(importing.read(path), args.speaker)
    if found.problems:
        talk(memory_text.left_out(found.problems))
    if not found.things:
        raise CommandError(Exit.FAILED, f"{path} holds nothing to take in")
    wire = Wire(socket_of(args))
    if not args.yes:
        dry = _all(wire, found.things, dry_run=True)
        if not any(each["new"] for each in dry):
            return _end(args, dry)
        if not wanted(args, dry, memory_text.imported(dry), "import it?"):
            return unwanted(args, dry, "nothing was imported")
    return _end(args, _all(wire, found.things, dry_run=False))


def _all(wire: Wire, things: Sequence[Pieces], *, dry_run: bool) -> list[ImportJson]:
    """Hand over one after the other, or try; who waits long hears how far it is."""
    progress = Progress("looked at" if dry_run else "imported", sum(map(importing.size, things)))
    return [importing.hand_over(wire, each, dry_run=dry_run, told=progress.add) for each in things]


def _end(args: Namespace, answers: Sequence[ImportJson]) -> int:
    """Say what came of it; where nothing is new, the trying says it all."""
    if args.json:
        as_json(answers)
    else:
        data(memory_text.imported(answers))
    return Exit.FAILED if any(each["refused"] for each in answers) else Exit.OK
