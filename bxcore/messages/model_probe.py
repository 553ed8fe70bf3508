"""Messages of a ``ModelProbe``, a short-lived actor that asks a model server what it is (spec 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bxcore.address import Address
from bxcore.messages.errand import NobodyCame
from bxcore.messages.model import Endpoint, Fault, ServerLoads


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """Ask the server at ``endpoint``. Asked; the reply is an ``Endpoint`` or a ``NotDescribed``.

    ``configured_context`` is the owner's number of tokens, None to ask the server. ``asker`` is told a
    ``ServerLoads`` when the server has to be waited for.
    """

    endpoint: Endpoint
    profile: Literal["auto", "native", "json"]
    configured_context: int | None = None
    asker: Address[ServerLoads] | None = None
    kind: Literal["describe"] = "describe"


ModelProbeMessage: TypeAlias = Describe | NobodyCame


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDescribed:
    """It gave no usable answer; the sentence says why and what to do."""

    sentence: str
    fault: Fault = "gone"
    rest_s: float | None = None
