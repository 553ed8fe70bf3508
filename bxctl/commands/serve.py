"""``boxmaker serve``: the supervised process in the foreground."""

from __future__ import annotations

import os
import signal
from argparse import ArgumentParser, Namespace
from typing import NoReturn

from bxctl.serving import serve_command, serve_environ

EPILOG = "SIGTERM and Ctrl-C stop it in order, a second one at once; exits 2 on a bad configuration"


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> NoReturn:
    """Become that process: the same pid, so that a service manager watches the right one.

    A stop that comes before it has its handlers waits for them: blocked signals outlive an exec.
    """
    command = serve_command(args)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    os.execve(command[0], command, serve_environ())  # noqa: S606 - our own interpreter, our own module
