"""Where the outbox may send now: a circuit a workspace, and a rest for a session that has trouble of its own.

A room of ``actors/outbox.py`` (spec 4.7).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from bxcore.backoff import Backoff
from bxcore.circuit import Circuit


@dataclass(slots=True, kw_only=True)
class Ways:
    """Used by the outbox's thread. ``now`` is monotonic, in seconds; ``chance`` is in [0, 1)."""

    backoff: Backoff
    now: Callable[[], float]
    chance: Callable[[], float]
    _circuits: dict[str, Circuit] = field(default_factory=dict)
    """By workspace, as the server calls it."""
    _rests: dict[str, Circuit] = field(default_factory=dict)
    """By session."""

    def due_s(self, session: str, workspaces: Iterable[str]) -> float:
        """From when on something may be sent of a session, to all these workspaces."""
        rest = self._rests.get(session, Circuit())
        return max(rest.until_s, *(self._circuit(each).until_s for each in workspaces))

    def why(self, session: str, workspace: str) -> str:
        """Why a session waits, empty when it does not."""
        return self._rests.get(session, Circuit()).why or self._circuit(workspace).why

    @property
    def worst(self) -> Circuit:
        """What has failed for longest; of what does not mend itself, if there is such."""
        failing = [each for each in (*self._circuits.values(), *self._rests.values()) if each.failures]
        lasting = [each for each in failing if each.lasting]
        return min(lasting or failing, key=_since_s, default=Circuit())

    # Of a workspace.

    def failed(
        self, workspace: str, why: str, asked_s: float | None = None, *, lasting: bool = False
    ) -> bool:
        """Open its circuit; whether it was closed. ``asked_s`` is the server's Retry-After."""
        before = self._circuit(workspace)
        after = before.failed(why, self.now(), backoff=self.backoff, chance=self.chance(), asked_s=asked_s)
        self._circuits[workspace] = replace(after, lasting=lasting)
        return not before.failures

    def answers(self, workspace: str) -> None:
        """It answers; whether it stores is seen at the next append."""
        if workspace in self._circuits:
            self._circuits[workspace] = self._circuits[workspace].at_once()

    def stores(self, workspace: str) -> bool:
        """Close its circuit; whether it was open."""
        return self._circuits.pop(workspace, Circuit()).failures > 0

    def _circuit(self, workspace: str) -> Circuit:
        return self._circuits.get(workspace, Circuit())

    # Of a session.

    def rest(self, session: str, why: str, *, lasting: bool = False) -> None:
        """Let it rest, longer each time."""
        self._rest(session, why, self.backoff, lasting=lasting)

    def settle(self, session: str, why: str, seconds: float) -> None:
        """Let it rest for so long at the least, each time."""
        self._rest(session, why, Backoff(first_s=2 * seconds, most_s=2 * seconds))

    def _rest(self, session: str, why: str, backoff: Backoff, *, lasting: bool = False) -> None:
        rest = self._rests.get(session, Circuit())
        after = rest.failed(why, self.now(), backoff=backoff, chance=self.chance())
        self._rests[session] = replace(after, lasting=lasting)

    def begin_later(self, sessions: Iterable[str], seconds: float) -> None:
        """Begin with these sessions after a while, though nothing has failed."""
        self._rests = {session: Circuit(until_s=self.now() + seconds) for session in sessions}

    def goes(self, session: str) -> None:
        """It has no trouble of its own any more."""
        self._rests.pop(session, None)

    # Of all.

    def at_once(self) -> None:
        """Rest no longer: a person wants it tried now."""
        self._rests.clear()
        self._circuits = {name: circuit.at_once() for name, circuit in self._circuits.items()}

    def tidy(self, sessions: Collection[str]) -> None:
        """What no session waits for is no trouble."""
        if not sessions:
            self._circuits.clear()
        for session in self._rests.keys() - set(sessions):
            del self._rests[session]


def _since_s(circuit: Circuit) -> float:
    return circuit.since_s
