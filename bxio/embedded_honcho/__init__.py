"""A Honcho server in the process, on SQLite (spec 4.8)."""

from __future__ import annotations

from bxio.embedded_honcho.app import EmbeddedHoncho
from bxio.embedded_honcho.call import Responder
from bxio.embedded_honcho.database import DamagedDatabase
from bxio.embedded_honcho.faults import Faults

__all__ = ["DamagedDatabase", "EmbeddedHoncho", "Faults", "Responder"]
