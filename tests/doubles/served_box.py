"""A process that serves a ``ControlBox`` until SIGTERM: ``served_box HOME [stubborn]``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from actors.base import Runtime
from tests.doubles.control_box import ControlBox


def main() -> None:
    """Serve; a ``stubborn`` one does not hear SIGTERM."""
    stubborn = sys.argv[2:] == ["stubborn"]
    # Blocked in every thread and taken by this one: a handler could meet a lock that its own thread holds.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    home = Path(sys.argv[1])
    box = ControlBox(runtime=Runtime(), home=home)
    signal.sigtimedwait({signal.SIGHUP if stubborn else signal.SIGTERM}, 30)
    (home.parent / f"{home.name}.ended").touch()
    box.close()


if __name__ == "__main__":
    main()
