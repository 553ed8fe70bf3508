"""What podman's refusals mean: a command that cannot be run is a result, all else a sentence for a person."""

from __future__ import annotations

import re

from bxcore.sandbox.tool_image import DEFAULT_IMAGE

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit codes that a shell gives for a command that is not there, or that is there and cannot be run."""

HOW_TO_INSTALL = (
    "podman is not installed; install it (Debian, Ubuntu: apt install podman; Fedora: dnf install podman;"
    " Arch: pacman -S podman), or set [containers] backend to bubblewrap"
)
NO_RANGES = (
    "podman without root has no ids to give to a sandbox: install the package uidmap, add ranges with"
    " sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER, then run"
    " podman system migrate and start boxmaker again"
)
BUILT_HERE = "localhost/"
"""What no registry has."""
LONGEST = 300

_NO_COMMAND = re.compile(
    r"executable file .{0,300}not found|exec: .{0,300}no such file or directory", re.IGNORECASE | re.DOTALL
)
_NO_RIGHT = re.compile(
    r"exec: .{0,300}permission denied|open executable: (?:permission denied|operation not permitted)",
    re.IGNORECASE | re.DOTALL,
)
_NO_SOURCE = re.compile(r"statfs (.{1,300}): no such file or directory", re.DOTALL)
_NO_FOLDER = re.compile(r'workdir "(.{1,300})" does not exist', re.DOTALL)
_WRAPPER = re.compile(r"^(?:preparing container \S+ for attach: )?(?:runc|crun): (?:runc create failed: )?")


def command_problem(message: str) -> tuple[int, str] | None:
    """The exit code and the words of a shell when ``message`` says that the command itself cannot be run."""
    if _NO_COMMAND.search(message):
        return NOT_FOUND, "command not found"
    if _NO_RIGHT.search(message):
        return NOT_EXECUTABLE, "permission denied"
    return None


def refusal(message: str, image: str) -> str:
    """Say why podman made no container, given its own words; ``image`` is the image's name."""
    if "image not known" in message or "no such image" in message.lower():
        return f"{missing_image(image)}, and start boxmaker again"
    if "keep-id requires additional UIDs" in message:
        return NO_RANGES
    source = _NO_SOURCE.search(message)
    if source is not None:
        return f"the folder {source[1]} is not there, so it cannot be mounted; make it, or change the grant"
    folder = _NO_FOLDER.search(message)
    if folder is not None:
        return f"the folder {folder[1]} is not in the sandbox, so nothing can run in it"
    return f"podman could not make the sandbox: {plain(message)}"


def missing_image(name: str) -> str:
    """The image is not there: how to get it. ``boxmaker image build`` makes the one name only."""
    if name in {DEFAULT_IMAGE, DEFAULT_IMAGE.removesuffix(":latest")}:
        return f"podman has no image {name}; get it with: boxmaker image build"
    own = "or take the line [containers] image out to use the box's own"
    if name.startswith(BUILT_HERE):
        return f"podman has no image {name}; mend the name, build it, {own}"
    return f"podman has no image {name}; pull it (podman pull {name}), {own}"


def plain(message: str) -> str:
    """Podman's words on one line, without the names of the programs that passed them on, and not too many."""
    line = _WRAPPER.sub("", " ".join(message.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
