"""ModelProbe: asks one model server what it is, answers, and ends (spec 3.4)."""

from __future__ import annotations

from actors.base import Errand, Reply
from bxcore.messages.model import Endpoint, ServerLoads
from bxcore.messages.model_probe import Describe, NotDescribed
from bxio.model.errors import ModelUnavailable
from bxio.model.probe import describe


class ModelProbe(Errand[Describe]):
    """A temporary child: one ``Describe``, one answer, then the end. It is cut when nobody waits any more."""

    def run(self, message: Describe, reply: Reply) -> None:
        """Ask, and answer."""
        reply.on_abandon(self.cutting.cut)
        outcome = self._outcome(message)
        if not reply.abandoned:
            reply.set(outcome)

    def _outcome(self, message: Describe) -> Endpoint | NotDescribed:
        try:
            return describe(
                message.endpoint,
                profile=message.profile,
                configured_context=message.configured_context,
                cut=self.cutting,
                on_wait=lambda text: _tell(message, text),
            )
        except ModelUnavailable as problem:
            return NotDescribed(sentence=problem.sentence, fault=problem.fault, rest_s=problem.rest_s)


def _tell(message: Describe, text: str) -> None:
    if message.asker is not None:
        message.asker.tell(ServerLoads(place=message.endpoint.place, text=text))
