"""What doctor and status say of the place that tools run in (spec 2.5)."""

from __future__ import annotations

from collections.abc import Iterator

from bxcore.control.views import Fact
from bxcore.doctor.check import Check, Verdict
from bxcore.sandbox.choose import OFF, SEARCHING
from bxcore.sandbox.guarantees import accept_line
from bxcore.sandbox.podman_words import HOW_TO_INSTALL
from bxcore.sandbox.view import SandboxView

GET_PODMAN = "apt-get install podman"
GET_BACKEND = f"{GET_PODMAN} (or, with fewer promises: apt-get install bubblewrap)"
GET_IMAGE = (
    "boxmaker image build makes one of this machine's busybox (apt-get install busybox-static); or pull a "
    "small one by its digest with podman pull, and name it as [containers] image"
)
_NAME = "sandbox"


def sandbox_fact(view: SandboxView) -> Fact:
    """The line of status. A box whose grants need a sandbox that is not there is a degraded box."""
    return Fact(name=_NAME, text=view.sentence, ok=not _unmet(view), help="bxctl doctor")


def _unmet(view: SandboxView) -> bool:
    """Whether no tool can run although grants need one to, for another reason than the owner's own word."""
    return view.sought and not view.ready and view.sentence not in {SEARCHING, OFF}


def sandbox_checks(view: SandboxView) -> Iterator[Check]:
    """The backend, its further facts, and each guarantee."""
    fine = view.ready or not view.sought
    yield Check(
        name=_NAME,
        verdict=Verdict.BAD if _unmet(view) else Verdict.OK if fine else Verdict.WARN,
        sentence=view.sentence,
        help=None if fine else _help(view),
    )
    facts = [*_found(view), *view.details]
    if facts:
        text = ", ".join(f"{name} {value}" for name, value in facts)
        yield Check(name=f"{_NAME} details", verdict=Verdict.OK, sentence=text)
    yield from _guarantees(view)


def _found(view: SandboxView) -> Iterator[tuple[str, str]]:
    if view.backend is not None:
        yield "backend", f"{view.backend} {view.version}" if view.version else view.backend
    if view.image is not None:
        yield "image", view.image


def _help(view: SandboxView) -> str:
    """What helps; the view's sentence may say more."""
    if view.sentence == SEARCHING:
        return "bxctl doctor"
    if view.sentence == OFF:
        return "set it to auto"
    if view.backend is None:
        return (
            GET_BACKEND if HOW_TO_INSTALL in view.sentence else "do what it says; the next call looks again"
        )
    if view.backend == "podman" and view.image is None:
        return GET_IMAGE
    refused = [guarantee for guarantee, _ in view.missing if guarantee not in view.accepted]
    if refused:
        return f"mend it, or do without: {accept_line([*view.accepted, *refused])}"
    return "bxctl inspect runner"


def _guarantees(view: SandboxView) -> Iterator[Check]:
    if view.proven:
        names = ", ".join(sorted(view.proven))
        yield Check(name="proven", verdict=Verdict.OK, sentence=f"a probe proved {names}")
    for guarantee, why in view.missing:
        accepted = guarantee in view.accepted
        yield Check(
            name=str(guarantee),
            verdict=Verdict.WARN if accepted else Verdict.BAD,
            sentence=f"not proven{', accepted' if accepted else ''}: {why}",
            help=None if accepted else f'mend it, or do without: [containers] accept = ["{guarantee}"]',
        )
