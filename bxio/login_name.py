"""The name of the user that this process runs as."""

from __future__ import annotations

import getpass


def login_name() -> str | None:
    """The login name, as ``boxmaker chat`` takes it for whoever runs it; None where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
