"""What the children of the tree are made of: one value that ``supervisor.py`` hands around."""

from __future__ import annotations

from dataclasses import dataclass, field

from actors.base import Mailbox, Runtime
from actors.box_facts import BoxFacts
from bxcore.config import Secrets, Settings
from bxcore.paths import Paths
from bxio.claim import Claim
from bxio.fetch.dialer import Dialer
from bxio.honcho import HonchoClient, HonchoServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """``started_s`` is on the monotonic clock; a test hands in a ``dialer`` of its own."""

    runtime: Runtime
    settings: Settings
    secrets: Secrets
    paths: Paths
    claim: Claim
    started_s: float
    facts: BoxFacts
    dialer: Dialer = field(default_factory=Dialer)

    def box(self, name: str) -> Mailbox:
        """The mailbox of the actor of that name; it outlives each incarnation."""
        return self.runtime.mailbox(name)

    def honcho(self) -> HonchoClient:
        """A client of the Honcho of ``[honcho] url``, in this process or elsewhere."""
        if self.claim.embedded_honcho is not None:
            return HonchoClient(HonchoServer(transport=self.claim.embedded_honcho.transport))
        url, token = self.settings.honcho.url, self.secrets.honcho_token or ""
        return HonchoClient(HonchoServer(url=url, token=token))
