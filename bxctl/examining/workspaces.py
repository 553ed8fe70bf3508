"""Doctor's word on the Honcho workspaces when no box runs: their names, and that nobody tried them (4.5)."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.config import Settings, derived
from bxcore.doctor import Check, Verdict
from bxctl.called import typed


def workspace_checks(settings: Settings | None) -> Iterator[Check]:
    """One check with a server of the owner's; none with the embedded one, which is there with the box."""
    if settings is None or settings.honcho.url == "embedded":
        return
    names = ", ".join(f"{each.name} {each.workspace}" for each in derived.readable(settings))
    sentence = f"{names} at {settings.honcho.url} were not tried; only a running box tries them"
    yield Check(name="workspaces", verdict=Verdict.WARN, sentence=sentence, help=typed("serve"))
