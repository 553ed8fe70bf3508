"""What cannot be taken back: shown first, and done after a person's yes."""

from __future__ import annotations

import sys
from argparse import Namespace

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.printing import as_json, data, talk


def wanted(args: Namespace, found: object, would: str, question: str) -> bool:
    """Show what would be done, and ask a person at a terminal; elsewhere ``--yes`` is the yes.

    With ``--json`` a program gets ``found``, and a person is shown ``would`` as talk. Raises ``CommandError``
    where there is neither a person nor a yes.
    """
    if args.yes:
        return True
    person = sys.stdin.isatty()
    if not args.json:
        data(would)
    elif person:
        talk(would)
    else:
        as_json(found)
    if not person:
        raise CommandError(Exit.USAGE, "nothing was changed; add --yes to do it")
    sys.stdout.flush()
    talk(f"{question} y or n")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def unwanted(args: Namespace, found: object, sentence: str) -> int:
    """Say that nothing was done."""
    if args.json:
        as_json(found)
    talk(sentence)
    return Exit.OK
