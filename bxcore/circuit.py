"""Whether a request may go out now: it opens with a failure, rests, and closes by itself (spec 4.7). Pure.

Each failure in a row rests twice as long. After a rest one request goes as a probe: if it comes through, all
is as before, if not, the next rest begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bxcore.backoff import Backoff, delay_s

LONGEST_S = 3600.0
"""However long a server asks to be left alone, it is tried again after an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """The way to one place. Times are monotonic, in seconds; ``why`` is empty while it is closed.

    ``failures`` are those in a row, the first of them at ``since_s``; nothing goes before ``until_s``.
    ``lasting`` says of the last one that it does not mend itself.
    """

    failures: int = 0
    why: str = ""
    since_s: float = 0.0
    until_s: float = float("-inf")
    lasting: bool = False

    def failed(
        self, why: str, now_s: float, *, backoff: Backoff, chance: float, asked_s: float | None = None
    ) -> Circuit:
        """After a failure. ``chance`` in [0, 1) spreads the rest; ``asked_s`` is the server's Retry-After."""
        failures = self.failures + 1
        rest_s = max(delay_s(backoff, failures, chance), min(asked_s or 0.0, LONGEST_S))
        since_s = self.since_s if self.failures else now_s
        return Circuit(failures=failures, why=why, since_s=since_s, until_s=now_s + rest_s)

    def well(self) -> Circuit:
        """After a request that came through."""
        return Circuit()

    def at_once(self) -> Circuit:
        """Without the rest: a person wants it tried now. What failed so far is kept."""
        return replace(self, until_s=float("-inf"))

    def failing_s(self, now_s: float) -> float:
        """For how long it has failed, 0 when the last request came through."""
        return now_s - self.since_s if self.failures else 0.0
