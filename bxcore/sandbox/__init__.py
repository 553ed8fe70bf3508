"""Tools that run apart from the box: what is run, under which limits, what is promised (spec 2.5)."""

from bxcore.sandbox.guarantees import Guarantee, Probe
from bxcore.sandbox.job import BrokenOffError, Job, Limits, Mount, Ran, SandboxError, Stream
from bxcore.sandbox.view import SandboxView

__all__ = [
    "BrokenOffError",
    "Guarantee",
    "Job",
    "Limits",
    "Mount",
    "Probe",
    "Ran",
    "SandboxError",
    "SandboxView",
    "Stream",
]
