"""Say by the exit code whether ``chat`` and ``serve`` with these arguments need the extra ``embedded``.

``./bx`` asks before it fetches half a gigabyte. A configuration that cannot be read needs nothing yet:
boxmaker itself lists its problems. Neither does a command that finds a box running: a chat talks to that one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bxcore.config import read
from bxcore.paths import PathError, find
from bxctl.place import socket_of
from bxctl.wire import Wire


def wants_embedded(arguments: Sequence[str]) -> bool:
    """Whether the model of the configuration that ``arguments`` and the environment name is embedded.

    A ``--socket`` names a box that is there already, and none is started for it.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--home")
    parser.add_argument("--config")
    parser.add_argument("--socket")
    cwd = Path.cwd()
    try:
        flags, _ = parser.parse_known_args(arguments)
        paths = find(os.environ, cwd=cwd, home=flags.home, config=flags.config)
        if flags.socket is not None or {"-h", "--help"} & set(arguments) or Wire(socket_of(flags)).answers():
            return False
    except (argparse.ArgumentError, PathError):
        return False
    settings = read(paths, os.environ, cwd=cwd).settings
    return settings is not None and settings.model.url == "embedded"


if __name__ == "__main__":
    sys.exit(0 if wants_embedded(sys.argv[1:]) else 1)
