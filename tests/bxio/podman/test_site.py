from __future__ import annotations

import resource
from pathlib import Path

from bxcore.sandbox import Job
from bxio.podman.site import Site, created_from

SITE = Site(
    socket=Path("/run/x.sock"),
    image="ab",
    image_name="x",
    box="b0",
    rootless=False,
    cgroups="v2",
    controllers=frozenset({"memory", "pids"}),
    facts={},
)


def test_each_container_has_a_name_of_its_own() -> None:
    job = Job(name="c", command=("x",))
    names = {created_from(SITE, job)["name"] for _ in range(20)}
    assert len(names) == 20
    assert all(name.startswith("boxmaker-b0-") for name in names)


def test_ulimits_stay_within_what_this_process_may() -> None:
    found = {each["type"]: each for each in created_from(SITE, Job(name="c", command=("x",)))["r_limits"]}
    for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        hard = resource.getrlimit(kind)[1]
        assert hard == resource.RLIM_INFINITY or 0 < found[name]["hard"] <= hard
