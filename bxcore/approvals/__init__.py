"""Approvals: calls that wait for the owner, by code, until one answer or their expiry (spec 2.3, step 4)."""

from bxcore.approvals.approval import Approval, Ended, Event, How, Opened, Over, Used
from bxcore.approvals.binding import changed, still_binds
from bxcore.approvals.codes import as_typed
from bxcore.approvals.queue import MAX_PENDING, Approvals, NotTaken
from bxcore.approvals.shown import Shown, shown

__all__ = [
    "MAX_PENDING",
    "Approval",
    "Approvals",
    "Ended",
    "Event",
    "How",
    "NotTaken",
    "Opened",
    "Over",
    "Shown",
    "Used",
    "as_typed",
    "changed",
    "shown",
    "still_binds",
]
