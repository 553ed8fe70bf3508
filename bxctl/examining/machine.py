"""Doctor's word on what this machine has to run tools in, when no box runs that knows better (spec 2.5)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

from bxcore.config import Settings
from bxcore.doctor import GET_BACKEND, GET_IMAGE, GET_PODMAN, Check, Verdict
from bxcore.sandbox.guarantees import BUBBLEWRAP_LACKS, accept_line

VERSION_S = 5.0
"""For a program to say its version."""
_PROGRAMS = {"podman": "podman", "bubblewrap": "bwrap"}
_UNIFIED = Path("/sys/fs/cgroup/cgroup.controllers")


def sandbox_checks(settings: Settings | None) -> Iterator[Check]:
    """The programs that are there, and what the configuration wants of them."""
    wanted = settings.containers.backend if settings else "auto"
    if wanted == "none":
        sentence = "[containers] backend is none, so files and shell are refused"
        yield Check(name="sandbox", verdict=Verdict.WARN, sentence=sentence, help="set it to auto")
        return
    found = {name: said for name, program in _PROGRAMS.items() if (said := _version(program)) is not None}
    yield _backend(wanted, found, settings.containers.accept if settings else ())
    if "podman" in found and wanted != "bubblewrap":
        yield _image(settings)
    yield Check(name="cgroup", verdict=Verdict.OK, sentence="v2" if _UNIFIED.exists() else "v1")


def _backend(wanted: str, found: dict[str, str], accept: Collection[str]) -> Check:
    usable = found if wanted == "auto" else {name: said for name, said in found.items() if name == wanted}
    if list(usable) == ["bubblewrap"] and not set(BUBBLEWRAP_LACKS) <= set(accept):
        return _bubblewrap(usable["bubblewrap"], accept)
    if usable:
        there = ", ".join(usable.values())
        return Check(name="sandbox", verdict=Verdict.OK, sentence=f"{there}; a start proves what it promises")
    if wanted == "auto":
        sentence = "neither podman nor bubblewrap is here, so files and shell are refused"
        return Check(name="sandbox", verdict=Verdict.WARN, sentence=sentence, help=GET_BACKEND)
    help_ = GET_PODMAN if wanted == "podman" else "apt-get install bubblewrap"
    sentence = f"[containers] backend is {wanted}, and it is not here"
    return Check(name="sandbox", verdict=Verdict.BAD, sentence=sentence, help=help_)


def _bubblewrap(said: str, accept: Collection[str]) -> Check:
    """It is here, and the owner has not accepted what it lacks everywhere."""
    lacks = ", ".join(BUBBLEWRAP_LACKS)
    return Check(
        name="sandbox",
        verdict=Verdict.WARN,
        sentence=f"{said}; it cannot promise {lacks}, so no tool runs in it until you accept that",
        help=f"{accept_line([*accept, *BUBBLEWRAP_LACKS])} in boxmaker.toml, or {GET_PODMAN}",
    )


def _image(settings: Settings | None) -> Check:
    image = settings.containers.image if settings else None
    if image is not None:
        sentence = f"{image} is named; a start looks whether podman has it"
        return Check(name="image", verdict=Verdict.OK, sentence=sentence)
    sentence = "[containers] image names none; a start looks for the one that boxmaker built"
    return Check(name="image", verdict=Verdict.OK, sentence=sentence, help=GET_IMAGE)


def _version(program: str) -> str | None:
    """What the program says of itself; None when it is not on the path or says nothing."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        said = subprocess.run(  # noqa: S603 - one of two fixed names
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{program}, which does not say its version"
    first = said.stdout.strip().splitlines()[:1]
    return first[0] if first else f"{program}, which does not say its version"
