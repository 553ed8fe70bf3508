"""The process that looks one name up: ``python -m bxio.fetch.resolve_child``, a name in, addresses out."""

from __future__ import annotations

import socket
import sys

NO_ADDRESS = "-"


def main() -> None:
    """Read a name from the input and print its addresses, each on a line, in the system's order of choice."""
    try:
        found = socket.getaddrinfo(sys.stdin.readline().strip(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    addresses = dict.fromkeys(str(address[0]) for *_, address in found)
    sys.stdout.write("\n".join(addresses) or NO_ADDRESS)


if __name__ == "__main__":
    main()
