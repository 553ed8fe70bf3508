from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.sandbox import Job, Limits, Mount
from bxcore.sandbox.podman_payload import BACKSTOP_S, Ceiling, Payload, Place, payload
from bxcore.sandbox.tool_user import ToolUser, tool_user

RO = Mount(source="/srv/docs", target="/docs", read_only=True)
RW = Mount(source="/srv/work", target="/session", read_only=False)


def made(job: Job | None = None, *, user: ToolUser | None = None, ceiling: Ceiling | None = None) -> Payload:
    return payload(
        job or Job(name="c1", command=("echo", "hi"), mounts=(RO, RW)),
        Place(
            image="ab12",
            name="boxmaker-x",
            box="b0",
            user=user or ToolUser(uid=1000, gid=1000),
            ceiling=ceiling or Ceiling(),
        ),
    )


def test_a_tool_is_kept_in_by_name_and_not_by_default() -> None:
    found = made()
    wanted = {
        "netns": {"nsmode": "none"},
        "cap_drop": ["all"],
        "no_new_privileges": True,
        "read_only_filesystem": True,
        "read_write_tmpfs": False,
        "privileged": False,
        "httpproxy": False,
        "unsetenvall": True,
        "log_configuration": {"driver": "none"},
        "stop_timeout": 0,
        "entrypoint": [],
        "image_volume_mode": "ignore",
    }
    assert {key: found[key] for key in wanted} == wanted
    assert {found[key]["nsmode"] for key in ("pidns", "ipcns", "utsns", "cgroupns")} == {"private"}


def test_a_mount_is_read_only_only_when_it_is_asked_for_and_never_takes_what_is_mounted_below() -> None:
    binds = [mount["options"] for mount in made()["mounts"] if mount["type"] == "bind"]
    assert binds == [
        ["bind", "ro", "rprivate", "nosuid", "nodev"],
        ["bind", "rw", "rprivate", "nosuid", "nodev"],
    ]


def test_a_folder_mounted_at_tmp_takes_its_place() -> None:
    job = Job(name="c", command=("x",), mounts=(Mount(source="/srv/t", target="/tmp", read_only=True),))
    assert [(each["type"], each["destination"]) for each in made(job)["mounts"]] == [("bind", "/tmp")]


@given(st.integers(1, 3600).map(float), st.integers(8, 4096), st.integers(1, 500), st.integers(16, 1 << 20))
def test_limits_are_the_jobs_and_ulimits_stay_below_the_machines(
    time_s: float, memory_mb: int, pids: int, open_files: int
) -> None:
    job = Job(name="c", command=("x",), limits=Limits(time_s=time_s + 0.5, memory_mb=memory_mb, pids=pids))
    found = made(job, ceiling=Ceiling(open_files=open_files, processes=512))
    limits = found["resource_limits"]
    assert limits["memory"]["limit"] == limits["memory"]["swap"] == memory_mb << 20
    assert limits["pids"]["limit"] == pids
    assert found["timeout"] == time_s + 1 + BACKSTOP_S
    ulimits = {each["type"]: each["hard"] for each in found["r_limits"]}
    assert ulimits["nofile"] == min(1024, open_files)
    assert ulimits["nproc"] == 512
    assert ulimits["core"] == 0


def test_a_container_is_named_and_labelled_with_its_box_and_its_call() -> None:
    found = made()
    assert found["name"] == "boxmaker-x"
    assert found["labels"] == {"boxmaker": "1", "boxmaker.box": "b0", "boxmaker.job": "c1"}


@pytest.mark.parametrize(("stdin", "open_"), [(None, False), (b"", True), (b"x", True)])
def test_standard_input_is_open_only_when_there_is_some(stdin: bytes | None, open_: bool) -> None:  # noqa: FBT001
    assert made(Job(name="c", command=("cat",), stdin=stdin))["stdin"] is open_


def test_a_mapped_user_gets_its_own_map_and_its_own_count_of_processes() -> None:
    job = Job(name="c", command=("x",), limits=Limits(pids=9))
    found = made(job, user=ToolUser(uid=1001, gid=1001, mapped=True))
    assert found["userns"] == {"nsmode": "keep-id"}
    assert found["user"] == "1001:1001"
    assert {each["type"]: each["hard"] for each in found["r_limits"]}["nproc"] == 9
    assert "userns" not in made()


ids = st.integers(0, 70_000)


@given(st.tuples(ids, ids), st.booleans(), st.one_of(st.none(), st.tuples(ids, ids)))
def test_a_tool_is_never_root(own: tuple[int, int], rootless: bool, owner: tuple[int, int] | None) -> None:  # noqa: FBT001
    found = tool_user(own, rootless=rootless, owner=owner)
    assert found.uid > 0
    assert found.gid > 0


@pytest.mark.parametrize(
    ("own", "rootless", "owner", "user"),
    [
        ((0, 0), False, None, "1000:1000"),
        ((0, 0), False, (0, 50), "1000:1000"),
        ((0, 0), False, (1001, 100), "1001:100"),
        ((0, 0), False, (1001, 0), "1001:1001"),
        ((1001, 100), True, (7, 7), "1001:100"),
        ((1001, 100), False, None, "1001:100"),
    ],
)
def test_a_tool_runs_as_us_or_as_the_folders_owner(
    own: tuple[int, int],
    rootless: bool,  # noqa: FBT001
    owner: tuple[int, int] | None,
    user: str,
) -> None:
    found = tool_user(own, rootless=rootless, owner=owner)
    assert str(found) == user
    assert found.mapped is rootless


def test_a_limit_that_podman_cannot_set_is_not_asked_for_and_data_is_bounded_instead() -> None:
    place = Place(
        image="ab",
        name="n",
        box="b",
        user=ToolUser(uid=7, gid=7, mapped=True),
        controllers=frozenset({"pids"}),
    )
    found = payload(Job(name="c", command=("x",), limits=Limits(memory_mb=32)), place)
    assert found["resource_limits"] == {"pids": {"limit": 64}}
    assert {each["type"]: each["hard"] for each in found["r_limits"]}["data"] == 128 << 20
    assert "data" not in {each["type"] for each in made()["r_limits"]}
