"""A child that does as it is told: ``say X``, ``environment``, ``hang``, ``die``, ``flood``, ``shut``."""

from __future__ import annotations

import os
import signal
import sys
import threading

FOREVER_S = 60.0


def main() -> None:
    told = sys.stdin.buffer.read(5)
    if told == b"say h":
        sys.stdout.write("h" + sys.stdin.read())
    elif told == b"envir":
        sys.stdout.write("\n".join(os.environ))
    elif told.startswith(b"hang"):
        threading.Event().wait(FOREVER_S)
    elif told == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif told == b"flood":
        sys.stdout.write("x" * 1_000_000)


if __name__ == "__main__":
    main()
