"""The client of a Honcho server, embedded or remote (spec 4.4)."""

from __future__ import annotations

from bxio.honcho.client import HonchoClient
from bxio.honcho.errors import HonchoUnavailable
from bxio.honcho.server import HonchoServer
from bxio.honcho.values import NewMessage, QueueStatus, StoredMessage

__all__ = ["HonchoClient", "HonchoServer", "HonchoUnavailable", "NewMessage", "QueueStatus", "StoredMessage"]
