"""One run that shows whether the sandbox holds what it promises (spec 2.5)."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bxcore.errors import system_reason
from bxcore.sandbox import Probe, Ran, SandboxError
from bxcore.sandbox.podman_probe import PROBE_S, Circumstances, judged, probe_job
from bxio.cut import Cut
from bxio.folders import make_private
from bxio.podman.run import run
from bxio.podman.site import Site

SLACK_S = 10.0


def probe(site: Site, folder: Path, cut: Cut) -> Probe:
    """Run the probe with a mount made in ``folder``. Raises ``SandboxError`` when it did not run at all."""
    with _open_folder(folder) as source:
        ran = run(site, probe_job(str(source)), time.monotonic() + PROBE_S + SLACK_S, cut)
    output = ran.stdout.data.decode("ascii", "replace")
    if not output:
        raise SandboxError(f"the probe of podman's sandbox said nothing: {_why(ran)}")
    return judged(output, circumstances(site))


def circumstances(site: Site) -> Circumstances:
    """Where the service runs, as it says itself."""
    return Circumstances(
        rootless=site.rootless,
        cgroups=site.cgroups,
        controllers=site.controllers,
    )


@contextmanager
def _open_folder(folder: Path) -> Iterator[Path]:
    """A folder that everybody may write, inside one that nobody else enters."""
    try:
        make_private(folder)
        made = Path(tempfile.mkdtemp(prefix="probe-", dir=folder)).resolve(strict=True)
        made.chmod(0o777)
    except OSError as error:
        raise SandboxError(
            f"no folder for the probe can be made in {folder}: {system_reason(error)}"
        ) from None
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _why(ran: Ran) -> str:
    if ran.exit_code is None:
        return "it was stopped" if not ran.timed_out else "it did not end in time"
    lines = ran.stderr.data.decode(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else f"it ended with exit code {ran.exit_code}"
