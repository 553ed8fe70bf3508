"""What podman says it made, compared with what it was asked for: a wrong name in a payload is no error to it.

A container that differs in anything that keeps a tool in is not started (spec 2.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bxcore.sandbox.podman_payload import Payload


def differences(asked: Payload, found: Mapping[str, Any]) -> tuple[str, ...]:
    """Name each difference between a create payload and the answer of ``inspect``; empty when all is right.

    Each is such as ``network is bridge, not none``. What is missing in the answer differs.
    """
    config, host = _object(found, "Config"), _object(found, "HostConfig")
    facts = [*_kept_in(asked, found, config, host), *_limits(asked, host), *_streams(asked, config, host)]
    plain = [f"{what} is {said!r}, not {wish!r}" for what, said, wish in facts if said != wish]
    return (*plain, *_mounts(asked, found, host))


_Fact = tuple[str, object, object]


def _kept_in(
    asked: Payload, found: Mapping[str, Any], config: Mapping[str, Any], host: Mapping[str, Any]
) -> Iterator[_Fact]:
    """The capabilities are given by what is left of them: a list of dropped ones says nothing of the rest."""
    yield "network", host.get("NetworkMode"), asked["netns"]["nsmode"]
    yield "read-only root", host.get("ReadonlyRootfs"), asked["read_only_filesystem"]
    yield "privileged", host.get("Privileged"), asked["privileged"]
    yield "capabilities", _names(found.get("BoundingCaps", "unknown")), []
    yield "effective capabilities", _names(found.get("EffectiveCaps", "unknown")), []
    yield "added capabilities", _names(host.get("CapAdd")), []
    yield "security options", sorted(_names(host.get("SecurityOpt"))), ["no-new-privileges"]
    yield "devices", _names(host.get("Devices")), []
    yield "process namespace", host.get("PidMode"), asked["pidns"]["nsmode"]
    yield "host's name space", host.get("UTSMode"), asked["utsns"]["nsmode"]
    yield "shared memory of the host", host.get("IpcMode") in {"private", "shareable"}, True
    yield "user", config.get("User"), asked["user"]
    yield "folder", config.get("WorkingDir"), asked["work_dir"]


def _limits(asked: Payload, host: Mapping[str, Any]) -> Iterator[_Fact]:
    wish = asked["resource_limits"]
    if "memory" in wish:
        yield "memory limit", host.get("Memory"), wish["memory"]["limit"]
        yield "memory and swap limit", host.get("MemorySwap"), wish["memory"]["swap"]
    if "pids" in wish:
        yield "pids limit", host.get("PidsLimit"), wish["pids"]["limit"]
    found = {each.get("Name"): (each.get("Soft"), each.get("Hard")) for each in host.get("Ulimits") or ()}
    for limit in asked["r_limits"]:
        name = f"RLIMIT_{limit['type'].upper()}"
        yield name, found.get(name), (limit["soft"], limit["hard"])


def _streams(asked: Payload, config: Mapping[str, Any], host: Mapping[str, Any]) -> Iterator[_Fact]:
    yield "log driver", _object(host, "LogConfig").get("Type"), asked["log_configuration"]["driver"]
    yield "terminal", config.get("Tty"), asked["terminal"]
    yield "open standard input", config.get("OpenStdin"), asked["stdin"]
    yield "time-out", config.get("Timeout"), asked["timeout"]


def _mounts(asked: Payload, found: Mapping[str, Any], host: Mapping[str, Any]) -> Iterator[str]:
    """Exactly those that were asked for: an image or a ``containers.conf`` may bring more."""
    wished = {mount["destination"]: mount for mount in asked["mounts"] if mount["type"] == "bind"}
    said = {mount.get("Destination"): mount for mount in found.get("Mounts") or ()}
    for target in sorted(wished.keys() - said.keys()):
        yield f"{target} is not mounted"
    for target in sorted(said.keys() - wished.keys(), key=str):
        yield f"{target} is mounted and was not asked for"
    for target in sorted(wished.keys() & said.keys()):
        yield from _mount(target, wished[target], said[target])
    yield from _temporary(asked, _object(host, "Tmpfs"))


def _temporary(asked: Payload, said: Mapping[str, Any]) -> Iterator[str]:
    """A mask must be empty, and stay so: podman copies into others what lies below them."""
    wished = {mount["destination"]: mount["options"] for mount in asked["mounts"] if mount["type"] == "tmpfs"}
    if said.keys() != wished.keys():
        yield f"temporary file systems are {sorted(said)}, not {sorted(wished)}"
    for target in sorted(said.keys() & wished.keys()):
        options = str(said[target]).split(",")
        if "ro" in wished[target] and "ro" not in options:
            yield f"the mask over {target} can be written"
        if "notmpcopyup" in wished[target] and "tmpcopyup" in options:
            yield f"the mask over {target} holds a copy of what it hides"


def _mount(target: str, wish: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    options = said.get("Options") or ()
    facts: list[_Fact] = [
        ("kind", said.get("Type"), "bind"),
        ("source", said.get("Source"), wish["source"]),
        ("writable", said.get("RW"), "rw" in wish["options"]),
        ("propagation", said.get("Propagation"), "rprivate"),
        *((option, option in options, True) for option in ("bind", "nosuid", "nodev")),
        ("rbind", "rbind" in options, False),
    ]
    for what, is_so, wanted in facts:
        if is_so != wanted:
            yield f"{what} of {target} is {is_so!r}, not {wanted!r}"


def _names(found: object) -> list[str]:
    """A list that podman may give as null; anything else is shown as it is."""
    return [] if found is None else [str(each) for each in found] if isinstance(found, list) else [str(found)]


def _object(found: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = found.get(key)
    return value if isinstance(value, Mapping) else {}
