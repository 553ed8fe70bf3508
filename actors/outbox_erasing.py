"""Takes out of Honcho what was forgotten on this box (spec 4.2, 4.7); a room of ``actors/outbox.py``.

Honcho deletes whole sessions only. So one with a turn that was forgotten is deleted, and what is left of it
is sent again under the name of its next generation.
"""

from __future__ import annotations

from actors.outbox_sending import Sender
from actors.outbox_waiting import Queue


def erase(queue: Queue, sender: Sender, workspace: str, session: str) -> None:
    """Delete from one workspace what the session's next order is about. Raises ``HonchoUnavailable``."""
    order = queue.erase[session][0]
    sender.erase(workspace, session, queue.orders.by_session[session].index(order))


def carried_out(queue: Queue, sender: Sender, session: str) -> None:
    """Mark that order as done in every workspace, on disk. Raises ``JournalError``."""
    orders = queue.erase[session]
    sender.erased(orders[0])
    del orders[0]
    if not orders:
        del queue.erase[session]
        queue.note_settled()
