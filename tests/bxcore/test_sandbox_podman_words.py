from __future__ import annotations

import pytest

from bxcore.sandbox.podman_flags import Machine, service_flags
from bxcore.sandbox.podman_words import command_problem, missing_image, plain, refusal

RUNC = "runc: runc create failed: unable to start container process: "
NOT_FOUND = ": OCI runtime attempted to invoke a command that was not found"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (RUNC + 'exec: "nope": executable file not found in $PATH' + NOT_FOUND, 127),
        (RUNC + 'exec: "/nope/x": stat /nope/x: no such file or directory' + NOT_FOUND, 127),
        ("crun: executable file `nope` not found in $PATH: No such file or directory" + NOT_FOUND, 127),
        (RUNC + 'exec: "/etc/passwd": permission denied: OCI permission denied', 126),
        ("crun: open executable: Permission denied: OCI permission denied", 126),
        ("crun: open executable: Operation not permitted: OCI permission denied", 126),
    ],
)
def test_a_command_that_cannot_be_run_has_the_exit_code_of_a_shell(message: str, code: int) -> None:
    problem = command_problem(message)
    assert problem is not None
    assert problem[0] == code


@pytest.mark.parametrize(
    "message",
    [
        "error during container init: error setting rlimits for ready process: operation not permitted",
        "statfs /srv/gone: no such file or directory",
        'workdir "/nowhere" does not exist on container ab12',
        "runc: error mounting: permission denied: OCI permission denied",
    ],
)
def test_any_other_refusal_is_no_fault_of_the_command(message: str) -> None:
    assert command_problem(message) is None


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("sha256:ab: image not known", "podman has no image localhost/t; mend the name"),
        ("No such image: x", "podman has no image localhost/t; mend the name"),
        ("keep-id requires additional UIDs or GIDs defined in /etc/subuid", "podman without root has no ids"),
        ("statfs /srv/gone: no such file or directory", "the folder /srv/gone is not there"),
        ('workdir "/nowhere" does not exist on container ab', "the folder /nowhere is not in the sandbox"),
        ("runc: runc create failed: out of luck", "podman could not make the sandbox: out of luck"),
    ],
)
def test_a_refusal_says_what_is_missing(message: str, said: str) -> None:
    assert refusal(message, "localhost/t").startswith(said)


def test_an_image_of_elsewhere_is_pulled_by_hand() -> None:
    assert missing_image("debian@sha256:ab") == (
        "podman has no image debian@sha256:ab; pull it (podman pull debian@sha256:ab), "
        "or take the line [containers] image out to use the box's own"
    )


def test_only_the_box_s_own_image_is_built_by_boxmaker() -> None:
    for name in ("localhost/boxmaker-tools:latest", "localhost/boxmaker-tools"):
        assert missing_image(name) == f"podman has no image {name}; get it with: boxmaker image build"
    for name in ("localhost/other:1", "localhost/boxmaker-tools:old", "localhost/boxmaker-tool"):
        assert "image build" not in missing_image(name)


def test_a_long_message_is_one_short_line() -> None:
    assert plain("a\n b") == "a b"
    assert len(plain("x" * 1000)) == 301


@pytest.mark.parametrize(
    ("machine", "flags"),
    [
        ((True, True, True, True), ()),
        ((True, True, False, True), ("--runtime", "runc")),
        ((False, True, True, True), ("--runtime", "runc")),
        ((False, True, True, False), ()),
        ((True, False, True, True), ("--events-backend", "file", "--cgroup-manager", "cgroupfs")),
    ],
)
def test_the_service_is_told_what_it_would_get_wrong(
    machine: tuple[bool, bool, bool, bool], flags: tuple[str, ...]
) -> None:
    unified, systemd, crun, runc = machine
    assert service_flags(Machine(unified=unified, systemd=systemd, crun=crun, runc=runc)) == flags
