"""Doctor's word on what this machine has to run tools in, when no box runs that knows better (spec 2.5)."""

from __future__ import annotations

import shutil
import subprocess
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from bxcore.config import Settings
from bxcore.control import Exit
from bxcore.doctor import GET_BACKEND, GET_IMAGE, GET_PODMAN, Check, Verdict
from bxcore.sandbox.guarantees import BUBBLEWRAP_LACKS, accept_line
from bxctl.image_process import image_process

VERSION_S = 5.0
"""For a program to say its version."""
LOOK_S = 30.0
"""For podman to say whether it has the image."""
_PROGRAMS = {"podman": "podman", "bubblewrap": "bwrap"}
_UNIFIED = Path("/sys/fs/cgroup/cgroup.controllers")


Look = Callable[[], tuple[Exit, str]]
"""Look for the image: how that ended, and what it said."""


def look_for_image(args: Namespace) -> tuple[Exit, str]:
    """Ask podman for the image, as ``boxmaker image show`` does."""
    try:
        done = image_process(args, "show", LOOK_S)
    except subprocess.TimeoutExpired:
        return Exit.TIMED_OUT, f"podman did not say within {LOOK_S:.0f} s whether it has the image"
    lines = (done.stdout if done.returncode == Exit.OK else done.stderr).splitlines()
    known = done.returncode in {Exit.OK, Exit.NO_SUCH_THING}
    said = lines[-1] if lines else "podman was asked for the image in vain"
    return Exit(done.returncode) if known else Exit.FAILED, said


def sandbox_checks(settings: Settings | None, look: Look) -> Iterator[Check]:
    """The programs that are there, what the configuration wants of them, and whether podman has the image."""
    wanted = settings.containers.backend if settings else "auto"
    if wanted == "none":
        sentence = "[containers] backend is none, so files and shell are refused"
        yield Check(name="sandbox", verdict=Verdict.WARN, sentence=sentence, help="set it to auto")
        return
    found = {name: said for name, program in _PROGRAMS.items() if (said := _version(program)) is not None}
    yield _backend(wanted, found, settings.containers.accept if settings else ())
    if "podman" in found and wanted != "bubblewrap":
        named = settings is not None and settings.containers.image is not None
        yield _image(*look(), named=named)
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


def _image(ended: Exit, said: str, *, named: bool) -> Check:
    """A name of the owner's that leads nowhere is bad; the box's own image may just not be built yet."""
    match ended:
        case Exit.OK:
            return Check(name="image", verdict=Verdict.OK, sentence=said)
        case Exit.NO_SUCH_THING if named:
            return Check(name="image", verdict=Verdict.BAD, sentence=said)
        case Exit.NO_SUCH_THING:
            return Check(name="image", verdict=Verdict.WARN, sentence=said, help=GET_IMAGE)
        case _:
            return Check(name="image", verdict=Verdict.WARN, sentence=f"it could not be looked for: {said}")


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
