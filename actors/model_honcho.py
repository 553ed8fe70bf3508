"""The Honcho inside of the box, which has the box's model word its answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from actors.base import Runtime
from actors.model import endpoint_of
from bxcore.config import Settings
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.model.responder import ModelResponder


def embedded_honcho(settings: Settings, runtime: Runtime) -> Callable[[Path], EmbeddedHoncho] | None:
    """What makes it in a file; None where the owner has a Honcho elsewhere.

    The small embedded model is worse at wording answers than a plain quote, so it is not asked.
    """
    honcho, model, now = settings.honcho, runtime.mailbox("model"), runtime.world.monotonic
    if honcho.url != "embedded":
        return None
    responder = None if settings.model.url == "embedded" else ModelResponder(lambda: endpoint_of(model, now))
    return lambda path: EmbeddedHoncho(
        path, responder, agent=honcho.agent, workspaces=(honcho.trusted, honcho.untrusted)
    )
