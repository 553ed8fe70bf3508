from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from bxcore.sandbox import Job, Mount
from bxcore.sandbox.podman_payload import Payload, Place, payload
from bxcore.sandbox.podman_readback import differences
from bxcore.sandbox.tool_user import ToolUser

ASKED = payload(
    Job(
        name="c1",
        command=("echo", "hi"),
        mounts=(Mount(source="/srv/docs", target="/docs", read_only=True),),
        masked=("/docs/secret",),
        workdir="/docs",
    ),
    Place(image="ab", name="boxmaker-x", box="b0", user=ToolUser(uid=1000, gid=1000)),
)


MASK = "ro,size=4096,mode=0555,nosuid,nodev,noexec,rprivate"


def inspected(asked: Payload) -> dict[str, Any]:
    """What podman 4.3.1 says of a container that is as it was asked for."""
    return {
        "BoundingCaps": None,
        "EffectiveCaps": None,
        "Config": {
            "User": asked["user"],
            "WorkingDir": asked["work_dir"],
            "Tty": False,
            "OpenStdin": False,
            "Timeout": asked["timeout"],
        },
        "HostConfig": _host(asked),
        "Mounts": [
            {
                "Type": "bind",
                "Source": "/srv/docs",
                "Destination": "/docs",
                "Options": ["bind", "nosuid", "nodev"],
                "RW": False,
                "Propagation": "rprivate",
            }
        ],
    }


def _host(asked: Payload) -> dict[str, Any]:
    limits = asked["resource_limits"]
    return {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "Privileged": False,
        "CapAdd": [],
        "CapDrop": ["CAP_CHOWN"],
        "SecurityOpt": ["no-new-privileges"],
        "Devices": [],
        "PidMode": "private",
        "UTSMode": "private",
        "IpcMode": "shareable",
        "Memory": limits["memory"]["limit"],
        "MemorySwap": limits["memory"]["swap"],
        "PidsLimit": limits["pids"]["limit"],
        "Ulimits": [
            {"Name": f"RLIMIT_{each['type'].upper()}", "Soft": each["soft"], "Hard": each["hard"]}
            for each in asked["r_limits"]
        ],
        "LogConfig": {"Type": "none"},
        "Tmpfs": {"/tmp": "size=64m,mode=1777,rw,tmpcopyup", "/docs/secret": MASK},
    }


def test_a_container_that_is_as_it_was_asked_for_has_no_difference() -> None:
    assert differences(ASKED, inspected(ASKED)) == ()


def host(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found["HostConfig"].update(change)


def config(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found["Config"].update(change)


def mount(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found["Mounts"][0].update(change)


def top(**change: Any) -> Callable[[dict[str, Any]], None]:
    return lambda found: found.update(change)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (host(NetworkMode="bridge"), "network is 'bridge', not 'none'"),
        (host(ReadonlyRootfs=False), "read-only root"),
        (host(Privileged=True), "privileged"),
        (host(SecurityOpt=[]), "security options"),
        (host(SecurityOpt=["no-new-privileges", "seccomp=unconfined"]), "security options"),
        (host(CapAdd=["CAP_SYS_ADMIN"]), "added capabilities"),
        (top(BoundingCaps=["CAP_CHOWN"]), "capabilities"),
        (top(EffectiveCaps=["CAP_CHOWN"]), "effective capabilities"),
        (host(Devices=[{"PathOnHost": "/dev/kvm"}]), "devices"),
        (host(PidMode="host"), "process namespace"),
        (host(UTSMode="host"), "name space"),
        (host(IpcMode="host"), "shared memory"),
        (host(Memory=0), "memory limit"),
        (host(MemorySwap=-1), "memory and swap limit"),
        (host(PidsLimit=2048), "pids limit"),
        (host(Ulimits=[]), "RLIMIT_NOFILE"),
        (host(LogConfig={"Type": "k8s-file"}), "log driver"),
        (host(Tmpfs={}), "temporary file systems"),
        (host(Tmpfs={"/tmp": "", "/docs/secret": MASK, "/run": ""}), "temporary file systems"),
        (host(Tmpfs={"/tmp": ""}), "temporary file systems"),
        (
            host(Tmpfs={"/tmp": "", "/docs/secret": MASK.replace("ro,", "rw,")}),
            "mask over /docs/secret can be written",
        ),
        (
            host(Tmpfs={"/tmp": "", "/docs/secret": f"{MASK},tmpcopyup"}),
            "mask over /docs/secret holds a copy of what it hides",
        ),
        (config(User=""), "user is '', not '1000:1000'"),
        (config(WorkingDir="/"), "folder"),
        (config(Tty=True), "terminal"),
        (config(OpenStdin=True), "open standard input"),
        (config(Timeout=0), "time-out"),
        (mount(RW=True), "writable of /docs is True, not False"),
        (mount(Source="/srv"), "source of /docs"),
        (mount(Propagation="rshared"), "propagation of /docs"),
        (mount(Type="volume"), "kind of /docs"),
        (mount(Options=["rbind", "nosuid", "nodev"]), "rbind of /docs"),
        (mount(Options=["bind", "nodev"]), "nosuid of /docs"),
        (mount(Destination="/elsewhere"), "/docs is not mounted"),
        (top(Mounts=None), "/docs is not mounted"),
    ],
)
def test_each_difference_is_named(change: Callable[[dict[str, Any]], None], named: str) -> None:
    found = copy.deepcopy(inspected(ASKED))
    change(found)
    assert named in "; ".join(differences(ASKED, found))


def test_a_mount_that_nobody_asked_for_is_named() -> None:
    found = inspected(ASKED)
    found["Mounts"].append({**found["Mounts"][0], "Destination": "/secrets"})
    assert differences(ASKED, found) == ("/secrets is mounted and was not asked for",)


@pytest.mark.parametrize("key", ["Config", "HostConfig", "Mounts", "BoundingCaps"])
def test_what_podman_leaves_out_is_a_difference(key: str) -> None:
    found = inspected(ASKED)
    del found[key]
    assert differences(ASKED, found)


def test_a_limit_that_was_not_asked_for_is_not_compared() -> None:
    asked = {**ASKED, "resource_limits": {}}
    found = inspected(ASKED)
    found["HostConfig"].update(Memory=0, MemorySwap=0, PidsLimit=0)
    assert differences(asked, found) == ()
