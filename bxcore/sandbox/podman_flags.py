"""How podman's service is started on a machine: what it would not find out by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What of a machine matters to podman; ``unified`` says that it has control groups of version 2 alone."""

    unified: bool
    systemd: bool
    crun: bool
    runc: bool


def service_flags(machine: Machine) -> tuple[str, ...]:
    """The global options that stand before ``system service``.

    crun refuses a machine whose control groups are not all of version 2, and is podman's first choice there
    all the same. Without systemd there is no journal for events and nobody to make control groups; the
    ``none`` of events would make a reader wait for ever, so they go to a file.

    >>> service_flags(Machine(unified=True, systemd=True, crun=True, runc=True))
    ()
    """
    runtime = machine.runc and (not machine.unified or not machine.crun)
    return (
        *(("--runtime", "runc") if runtime else ()),
        *(() if machine.systemd else ("--events-backend", "file", "--cgroup-manager", "cgroupfs")),
    )
