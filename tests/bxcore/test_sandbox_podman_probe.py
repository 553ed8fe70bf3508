from __future__ import annotations

import pytest

from bxcore.sandbox import Guarantee
from bxcore.sandbox.podman_probe import PIDS, Circumstances, judged, probe_job

FORKED = "".join(f"forked {n}\n" for n in range(1, PIDS))
GOOD = f"""\
status CapPrm: 0000000000000000
status CapEff: 0000000000000000
status CapBnd: 0000000000000000
status NoNewPrivs: 1
net lo
mounted / ro,relatime,lowerdir=/x
mounted /probe ro,nosuid,nodev
little 0
much 137
{FORKED}"""
ROOT_V1 = Circumstances(rootless=False, cgroups="v1", controllers=frozenset({"memory", "pids"}))


def test_what_a_sandbox_should_say_proves_every_guarantee() -> None:
    found = judged(GOOD, ROOT_V1)
    assert found.proven == frozenset(Guarantee)
    assert found.missing == ()


@pytest.mark.parametrize(
    ("right", "wrong", "lost"),
    [
        ("NoNewPrivs: 1", "NoNewPrivs: 0", Guarantee.NO_NEW_PRIVILEGES),
        ("CapEff: 0000000000000000", "CapEff: 0000000000000400", Guarantee.NO_CAPABILITIES),
        ("CapBnd: 0000000000000000", "CapBnd: 00000000a80425fb", Guarantee.NO_CAPABILITIES),
        ("status CapBnd: 0000000000000000\n", "", Guarantee.NO_CAPABILITIES),
        ("net lo", "net lo\nnet eth0", Guarantee.NO_NETWORK),
        ("net lo\n", "", Guarantee.NO_NETWORK),
        ("/ ro,relatime", "/ rw,relatime", Guarantee.READ_ONLY_ROOT),
        ("/probe ro,nosuid", "/probe rw,nosuid", Guarantee.READ_ONLY_ROOT),
        ("little 0", "written /probe\nlittle 0", Guarantee.READ_ONLY_ROOT),
        ("much 137", "much 0", Guarantee.MEMORY_LIMIT),
        ("much 137", "much 127", Guarantee.MEMORY_LIMIT),
        ("much 137", "much 1", Guarantee.MEMORY_LIMIT),
        ("little 0", "little 127", Guarantee.MEMORY_LIMIT),
        ("forked 15", f"forked 15\nforked {PIDS}", Guarantee.PIDS_LIMIT),
    ],
)
def test_each_guarantee_is_lost_by_its_own_fault(right: str, wrong: str, lost: Guarantee) -> None:
    assert right in GOOD
    found = judged(GOOD.replace(right, wrong), ROOT_V1)
    assert found.proven == frozenset(Guarantee) - {lost}
    assert [each for each, _ in found.missing] == [lost]


def test_nothing_said_proves_nothing() -> None:
    found = judged("", ROOT_V1)
    assert found.proven == frozenset()
    assert {each for each, _ in found.missing} == frozenset(Guarantee)


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (Circumstances(rootless=True, cgroups="v1", controllers=frozenset()), "run it as root"),
        (Circumstances(rootless=True, cgroups="v2", controllers=frozenset({"pids"})), "delegate it"),
    ],
)
def test_why_a_limit_does_not_hold_is_said(where: Circumstances, reason: str) -> None:
    missing = dict(judged(GOOD.replace("much 137", "much 0"), where).missing)
    assert reason in missing[Guarantee.MEMORY_LIMIT]


def test_the_probe_goes_beyond_its_own_limits() -> None:
    job = probe_job("/run/x")
    assert f"bs={2 * job.limits.memory_mb}M" in job.command[-1]
    assert f"-lt {3 * job.limits.pids} " in job.command[-1]
    assert [(mount.source, mount.read_only) for mount in job.mounts] == [("/run/x", True)]
