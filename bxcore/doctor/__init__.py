"""Health as a list of checks, each with one sentence and what to do about it (spec 6.3)."""

from bxcore.doctor.check import Check, Verdict, check_json
from bxcore.doctor.honcho import honcho_check
from bxcore.doctor.sandbox import GET_BACKEND, GET_IMAGE, GET_PODMAN, sandbox_checks, sandbox_fact

__all__ = [
    "GET_BACKEND",
    "GET_IMAGE",
    "GET_PODMAN",
    "Check",
    "Verdict",
    "check_json",
    "honcho_check",
    "sandbox_checks",
    "sandbox_fact",
]
