"""Which folders of the host a grant may hold: neither the system's nor the box's own (spec 2.2)."""

from __future__ import annotations

from bxcore.args import ArgsError
from bxcore.args.paths import check_path, normalised

NEVER = ("/", "/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr")
"""Folders that no grant may hold as a whole; for ``/lib`` also its kin, such as ``/lib64``."""
NEVER_BELOW = ("/dev", "/proc", "/sys")
"""Folders of the kernel's, in which nothing is a file of the owner's."""
WORK = "/session"
"""Where the session's work folder stands in the sandbox."""


def plain_folder(written: str) -> str | None:
    """The normal form of a grant's folder; None for what is not absolute, climbs, or hides a character."""
    try:
        check_path(written)
    except ArgsError:
        return None
    return normalised(written) if written.startswith("/") and ".." not in written.split("/") else None


def unfit(folder: str) -> str | None:
    """Why a folder in its normal form may not be in a grant, or None; the words go on after its name."""
    if folder in NEVER or (folder.startswith("/lib") and folder.count("/") == 1):
        return "which is the system's; name a folder of yours"
    if any(below(folder, kernel) for kernel in NEVER_BELOW):
        return "which is the kernel's; name a folder of yours"
    if below(folder, WORK):
        return f"and {WORK} is where the sandbox has the session's work folder; name another folder"
    return None


def meets(folder: str, own: str) -> bool:
    """Whether one of two folders lies in the other."""
    return below(own, folder) or below(folder, own)


def below(path: str, folder: str) -> bool:
    """Whether a normalised path is ``folder`` or lies in it; compared step by step, never as text."""
    return path == folder or path.startswith(folder if folder == "/" else f"{folder}/")
