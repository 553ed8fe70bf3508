"""Images by their id, looked up once and never pulled; the tools' own one, made of this machine's busybox."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from podman import PodmanClient
from podman.errors import ImageNotFound

from bxcore.sandbox import SandboxError
from bxcore.sandbox.podman_words import missing_image
from bxcore.sandbox.tool_image import CONTENT_LABEL, DEFAULT_IMAGE, archive, fingerprint, is_static
from bxio.cut import Cut
from bxio.podman.client import client, saying

LIST_S = 10.0
TAR = {"content-type": "application/x-tar"}


def resolve_image(podman: PodmanClient, name: str) -> str:
    """The id that ``name`` has now; raises ``SandboxError``, which says how to get the image."""
    with saying(f"look for the image {name}"):
        found = _id_of(podman, name)
    if found is None:
        raise SandboxError(missing_image(name))
    return found


def image_id(socket: Path, name: str, *, deadline_s: float, cut: Cut) -> str | None:
    """The id that ``name`` has now, None when there is no such image. Raises ``SandboxError``."""
    with client(socket, deadline_s, cut) as podman, saying(f"look for the image {name}"):
        return _id_of(podman, name)


def build_image(socket: Path, *, deadline_s: float, cut: Cut, name: str = DEFAULT_IMAGE) -> str:
    """Make the tools' image of this machine's static busybox; its id. One of the same content is kept.

    Raises ``SandboxError``, such as when there is no busybox.
    """
    packed = _packed()
    label = fingerprint(packed)
    with client(socket, deadline_s, cut) as podman, saying("make the tools' image"):
        found = _id_of(podman, name, label=label)
        if found is not None:
            return found
        changes = [f"LABEL {CONTENT_LABEL}={label}", "ENV PATH=/bin"]
        answer = podman.api.post(
            "/images/import",
            params={"reference": name, "message": "boxmaker's tools", "changes": changes},
            data=packed,
            headers=TAR,
        )
        answer.raise_for_status()
        return resolve_image(podman, name)


def _id_of(podman: PodmanClient, name: str, *, label: str | None = None) -> str | None:
    """None when there is no such image, or none whose content is ``label``. Raises ``APIError``."""
    try:
        found = podman.images.get(name)
    except ImageNotFound:
        return None
    if label is not None and (found.labels or {}).get(CONTENT_LABEL) != label:
        return None
    return str(found.id)


def _packed() -> bytes:
    """The archive, of the busybox that this machine has."""
    program = next((path for path in (shutil.which("busybox"), "/bin/busybox") if path), "/bin/busybox")
    try:
        data = Path(program).read_bytes()
    except OSError:
        raise SandboxError(f"{_NO_BUSYBOX}; {_INSTALL}") from None
    if not is_static(data):
        raise SandboxError(f"{program} needs libraries of this machine; {_INSTALL}")
    try:
        listed = subprocess.run(  # noqa: S603 - the system's own program
            (program, "--list"), capture_output=True, text=True, timeout=LIST_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        raise SandboxError(f"{program} cannot be run; {_INSTALL}") from None
    return archive(data, listed.stdout.split())


_NO_BUSYBOX = "the tools' image is made of busybox, which is not installed"
_INSTALL = (
    "install a static one (Debian, Ubuntu: apt install busybox-static), or name an image of your own in"
    " [containers] image"
)
