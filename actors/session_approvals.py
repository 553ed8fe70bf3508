"""The approvals of one turn's calls, as the broker tells of them in its own thread (spec 2.3, step 4)."""

from __future__ import annotations

import threading
from collections.abc import Callable

from bxcore.address import Delivery
from bxcore.messages.broker import ApprovalAsked, ApprovalClosed, ApprovalNews
from bxcore.messages.loop import TurnEvent


class SessionApprovals:
    """An address for the broker's news: hands each on to ``show``, and knows which calls are pending.

    ``show`` puts an event before the person and may say that it could not; ``now`` is the monotonic clock.
    A broker that was restarted tells again of what is pending: a person sees each code once.
    """

    def __init__(self, name: str, show: Callable[[TurnEvent], object], now: Callable[[], float]) -> None:
        self.name = name
        self._show = show
        self._now = now
        self._lock = threading.Lock()
        self._pending: dict[str, tuple[str, float]] = {}
        self._seen: set[str] = set()

    def tell(self, message: ApprovalNews, *, deadline_s: float | None = None) -> Delivery:
        """Show it; what the person's side had no room for was not delivered. Any thread, never blocks."""
        del deadline_s
        match message:
            case ApprovalAsked(approval=view):
                with self._lock:
                    seen = view.code in self._seen
                    self._seen.add(view.code)
                    self._pending[view.code] = view.call, self._now() + view.left_s
                return Delivery.ACCEPTED if seen else self._shown(view.code, message)
            case ApprovalClosed(code=code):
                self._drop(code)
                self._show(message)
                return Delivery.ACCEPTED

    def pending_until_s(self, call: str) -> float | None:
        """When the approval that a call waits for expires; None when it waits for none."""
        with self._lock:
            return next((until_s for of, until_s in self._pending.values() if of == call), None)

    def _shown(self, code: str, message: ApprovalAsked) -> Delivery:
        delivery = self._show(message)
        if isinstance(delivery, Delivery) and delivery is not Delivery.ACCEPTED:
            self._drop(code)
            with self._lock:
                self._seen.discard(code)
            return delivery
        return Delivery.ACCEPTED

    def _drop(self, code: str) -> None:
        with self._lock:
            self._pending.pop(code, None)
