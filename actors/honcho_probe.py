"""HonchoProbe: tries one workspace for doctor, answers, and ends (spec 6.3)."""

from __future__ import annotations

from actors.honcho_errand import HonchoErrand
from bxcore.messages.honcho_probe import Probe, Probed
from bxio.honcho.probing import probe

SPARE_S = 0.25
"""Kept of the asker's time, so that a time-out is still answered with what it was."""


class HonchoProbe(HonchoErrand[Probe]):
    """A temporary child: one ``Probe``, one ``Probed``, then the end. It makes nothing on the server."""

    LISTENS_ON_S = -SPARE_S

    def outcome(self, message: Probe, deadline_s: float) -> Probed:
        """Try the workspace."""
        del message
        began_s = self.now()
        found = probe(self.client, self.workspace, deadline_s, self.cutting)
        took_ms = round((self.now() - began_s) * 1000)
        return Probed(health=found.health, detail=found.detail, took_ms=took_ms)
