"""Which of the owner's models is asked: the first that answers; one that fails is left alone (spec 3.4).

Pure: the model's actor asks the servers and keeps these values.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bxcore.backoff import Backoff
from bxcore.circuit import Circuit
from bxcore.messages.model import Endpoint, EndpointFailed, ServerState

RESTS = Backoff(first_s=1.0, most_s=60.0)
CALM_S = 60.0
"""A server that has done its work for so long after a rest is forgiven what was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One of them, as far as it is known. ``endpoint`` is None until it has said what it is.

    ``asked`` is true while it is asked, ``probed`` counts the answers. ``alone_again`` says that it is tried
    again when its rest is over, whether or not anybody wants it.
    """

    label: str
    endpoint: Endpoint | None = None
    circuit: Circuit = field(default_factory=Circuit)
    asked: bool = False
    probed: int = 0
    alone_again: bool = True

    def found(self, endpoint: Endpoint, now_s: float) -> Server:
        """With what it said; what failed before is kept until it has been calm."""
        number = self.probed + 1
        circuit = replace(self.circuit, until_s=min(self.circuit.until_s, now_s))
        known = replace(endpoint, probed=number)
        return replace(self, endpoint=known, asked=False, probed=number, circuit=circuit)

    def failed(self, failure: EndpointFailed, now_s: float, chance: float) -> Server:
        """Left alone for a while. One that is gone has to say anew what it is; a slow one is known still."""
        calm = now_s > self.circuit.until_s + CALM_S
        circuit = (self.circuit.well() if calm else self.circuit).failed(
            failure.sentence, now_s, backoff=RESTS, chance=chance, asked_s=failure.rest_s
        )
        endpoint = self.endpoint if failure.fault == "slow" else None
        return replace(self, circuit=circuit, endpoint=endpoint, asked=False)

    def rests(self, now_s: float) -> bool:
        """Whether it is left alone now."""
        return now_s < self.circuit.until_s

    def ready(self, now_s: float) -> bool:
        """Whether it may be asked for an answer now."""
        return self.endpoint is not None and not self.rests(now_s)

    def state(self, now_s: float, *, in_use: bool) -> ServerState:
        """How it stands, for the owner."""
        if self.rests(now_s):
            text = f"left alone for {self.circuit.until_s - now_s:.0f} s: {self.circuit.why}"
        elif self.endpoint is not None:
            text = f"{self.endpoint.profile} profile, {'in use' if in_use else 'ready'}"
        elif self.circuit.failures:
            text = self.circuit.why
        else:
            text = "not asked yet"
        return ServerState(label=self.label, text=text, ok=self.ready(now_s) or not self.circuit.failures)


@dataclass(frozen=True, slots=True)
class Use:
    """Ask the server at this place for the answer."""

    place: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the servers at these places what they are, and choose anew when one has answered."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nobody:
    """There is none to ask."""


Choice: TypeAlias = Use | Ask | Nobody


def choose(
    servers: Sequence[Server],
    now_s: float,
    *,
    using: int | None = None,
    without: Collection[int] = (),
    urgent: bool = True,
) -> Choice:
    """The server for a request. A turn keeps the one that it is ``using`` while that one is well.

    Else the first in the owner's order that is ready, or that was never asked. When all are left alone, an
    ``urgent`` request has them tried at once all the same: a person waits.
    """
    places = [place for place in range(len(servers)) if place not in without]
    if using is not None and using in places and servers[using].ready(now_s):
        return Use(using)
    for place in places:
        server = servers[place]
        if server.ready(now_s):
            return Use(place)
        if server.endpoint is None and not server.circuit.failures:
            return Ask((place,))
    unknown = tuple(place for place in places if servers[place].endpoint is None)
    if urgent and unknown:
        return Ask(unknown)
    return Use(places[0]) if urgent and places else Nobody()


def due(servers: Sequence[Server], now_s: float) -> tuple[int, ...]:
    """The places of those whose rest is over, to be asked anew what they are."""
    return tuple(
        place
        for place, server in enumerate(servers)
        if _waits(server) and not server.rests(now_s) and not server.asked
    )


def next_due_s(servers: Sequence[Server], now_s: float) -> float | None:
    """When the next rest ends that something follows, absolute; None when there is none."""
    ends = (server.circuit.until_s for server in servers if _waits(server) or server.rests(now_s))
    return min(ends, default=None)


def _waits(server: Server) -> bool:
    return server.alone_again and server.endpoint is None and server.circuit.failures > 0 and not server.asked


def no_model(servers: Sequence[Server], sentence: str) -> str:
    """The sentence for a person when none answers; ``sentence`` is of the one that was tried."""
    others = len(servers) - 1
    if not others:
        return sentence
    return f"none of the {len(servers)} models answers; {sentence}; bxctl doctor says why of the others"
