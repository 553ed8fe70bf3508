"""A process that serves a ``ControlBox`` until SIGTERM: ``served_box HOME [stubborn]``."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from actors.base import Runtime
from tests.doubles.control_box import ControlBox


def main() -> None:
    """Serve; a ``stubborn`` one does not hear SIGTERM."""
    over = threading.Event()
    stubborn = sys.argv[2:] == ["stubborn"]
    signal.signal(signal.SIGTERM, lambda *_: None if stubborn else over.set())
    home = Path(sys.argv[1])
    box = ControlBox(runtime=Runtime(), home=home)
    over.wait(30)
    (home.parent / f"{home.name}.ended").touch()
    box.close()


if __name__ == "__main__":
    main()
