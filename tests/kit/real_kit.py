"""One test's runtime on real threads, with its probes and dead letters."""

from __future__ import annotations

from actors.base import Runtime
from tests.kit.leaks import Letters, open_mailboxes, stop_everything
from tests.kit.probe import Probe


class RealKit:
    """The real world's ``Kit``: no virtual time, the same probes and the same checks at the end."""

    def __init__(self) -> None:
        self.runtime = Runtime()
        self.letters = Letters(self.runtime)
        self._probes: list[Probe] = []

    def probe(self, name: str) -> Probe:
        """A mailbox that the test reads itself."""
        probe = Probe(self.runtime, name)
        self._probes.append(probe)
        return probe

    def close(self) -> list[str]:
        """Stop everything; what was left behind, a sentence each."""
        problems = [f"unread dead letter {letter}" for letter in self.letters.unread()]
        stop_everything(self.runtime)
        for probe in self._probes:
            probe.close()
        return problems + [f"the mailbox {name} is open" for name in open_mailboxes(self.runtime)]
