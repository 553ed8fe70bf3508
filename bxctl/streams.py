"""The three standard streams of a command: there from its start, and left without noise at its end."""

from __future__ import annotations

import io
import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def prepare() -> None:
    """Put the null device in the place of a stream that is closed, and let the output take any text.

    Of a closed one Python has None, and the next file or socket would get its number; so would a process that
    this one starts or becomes, hence it is inherited. What the output's encoding lacks is escaped.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)
            if null > len(_STREAMS) - 1:
                os.close(null)
            os.set_inheritable(number, True)  # noqa: FBT003 - it takes no keyword
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def give_up_output() -> None:
    """Let what is not written yet go nowhere: it cannot be written, and the exit must not try again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
