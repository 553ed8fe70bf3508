"""Say by the exit code whether ``chat`` and ``serve`` with these arguments need the extra ``embedded``.

``./bx`` asks before it fetches half a gigabyte. A configuration that cannot be read needs nothing yet:
boxmaker itself lists its problems.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bxcore.config import read
from bxcore.paths import PathError, find


def wants_embedded(arguments: Sequence[str]) -> bool:
    """Read the configuration that ``arguments`` and the environment name; True when its model is embedded."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--home")
    parser.add_argument("--config")
    cwd = Path.cwd()
    try:
        flags, _ = parser.parse_known_args(arguments)
        paths = find(os.environ, cwd=cwd, home=flags.home, config=flags.config)
    except (argparse.ArgumentError, PathError):
        return False
    if any(word in {"-h", "--help"} for word in arguments):
        return False
    settings = read(paths, os.environ, cwd=cwd).settings
    return settings is not None and settings.model.url == "embedded"


if __name__ == "__main__":
    sys.exit(0 if wants_embedded(sys.argv[1:]) else 1)
