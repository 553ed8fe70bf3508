"""Doctor tries every workspace at once, through the probes that the box itself starts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.base import Runtime
from actors.connection import Limits
from actors.connection_doctor import Probing
from actors.honcho_probe import HonchoProbe
from actors.supervising import Supervisor
from bxcore.control import requests as r
from bxcore.supervision import ChildSpec, Restart, SupervisorSpec
from bxcore.workspaces import OtherAgent, configured
from bxio.embedded_honcho import EmbeddedHoncho
from bxio.honcho import HonchoClient, HonchoServer, NewMessage
from tests.doubles import bad_manners
from tests.doubles.control_box import MakeBox, control_boxes
from tests.doubles.control_client import ask
from tests.doubles.honcho_asks import until
from tests.doubles.honcho_port import HonchoPort
from tests.doubles.loopback import Connection, LoopbackServer
from tests.kit.leaks import Letters

READABLE = configured(
    trusted="box1",
    untrusted="box1-untrusted",
    fleet="fleet7",
    others=[OtherAgent(agent="box2", workspace="second", trusted=True)],
)


@pytest.fixture
def make(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeBox]:
    yield from control_boxes(runtime, monkeypatch)


def probing(runtime: Runtime, url: str, *, most: int = 16) -> Probing:
    """The way the process itself wires it, towards ``url``."""
    spec = SupervisorSpec(max_children=most)
    client = HonchoClient(HonchoServer(url=url))

    def probe(name: str, workspace: str) -> ChildSpec:
        make = partial(HonchoProbe, client=client, workspace=workspace)
        return ChildSpec(name=name, start=make, restart=Restart.TEMPORARY)

    asks = runtime.start("asks", lambda context: Supervisor(context, spec))
    return Probing(readable=READABLE, asks=asks, probe=probe)


def workspaces(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (check["verdict"], check["sentence"].partition(" (")[0])
        for check in answer["checks"]
        if check["name"].startswith("workspace ")
    ]


def test_each_workspace_is_told_of_in_the_order_of_the_configuration(
    make: MakeBox, runtime: Runtime, tmp_path: Path
) -> None:
    honcho = EmbeddedHoncho(tmp_path / "honcho.sqlite", workspaces=["box1", "fleet7"])
    said = [NewMessage(peer="ann", content="The kettle is on the stove.")]
    HonchoClient(HonchoServer(transport=honcho.transport)).append("fleet7", "s", said, 1e9)
    with HonchoPort(honcho) as port:
        status, answer = ask(make(probing=probing(runtime, port.url)), r.DoctorRequest())
    honcho.close()
    assert status == 200
    assert workspaces(answer) == [
        ("ok", "box1: it answers, and nothing was said in it yet"),
        ("ok", "box1-untrusted is not there yet; the first turn that is saved to it makes it"),
        ("ok", "fleet7: it answers chat and search"),
        ("bad", "no such workspace: second"),
    ]
    names = [check["name"] for check in answer["checks"]]
    assert names == [
        *("model", "honcho"),
        *("workspace own", "workspace untrusted", "workspace fleet", "workspace box2"),
        "audit",
    ]


def test_all_of_them_are_tried_at_once_under_one_limit(make: MakeBox, runtime: Runtime) -> None:
    together = threading.Barrier(len(READABLE) + 1)

    def hangs(connection: Connection) -> None:
        connection.read_request()
        together.wait(10)
        connection.wait(60)

    with LoopbackServer(hangs) as server:
        box = make(probing=probing(runtime, server.url), limits=Limits(probes_s=1.5))
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.append(ask(box, r.DoctorRequest())))
        asking.start()
        began_s = time.monotonic()
        together.wait(10)
        assert ask(box, r.VersionRequest())[0] == 200, "others are served meanwhile"
        asking.join(timeout=20)
        assert time.monotonic() - began_s < 10
        assert server.wait_idle()
    found = workspaces(answers[0][1])
    assert [verdict for verdict, _ in found] == ["bad"] * len(READABLE)
    assert all("is unreachable: no answer in " in sentence for _, sentence in found)


def test_its_probes_are_gone_when_it_has_answered(make: MakeBox, runtime: Runtime) -> None:
    with LoopbackServer(bad_manners.hangs_up) as server:
        box = make(probing=probing(runtime, server.url))
        for _ in range(2):
            found = workspaces(ask(box, r.DoctorRequest())[1])
            assert {sentence.partition(": ")[2] for _, sentence in found} == {"the connection was reset"}
        assert until(lambda: [node.children for node in runtime.tree() if node.child.name == "asks"] == [()])


def test_a_supervisor_without_room_is_told_of_and_nothing_is_called_well(
    make: MakeBox, runtime: Runtime, letters: Letters
) -> None:
    with LoopbackServer(bad_manners.silent) as server:
        box = make(probing=probing(runtime, server.url, most=1), limits=Limits(probes_s=1.0))
        found = workspaces(ask(box, r.DoctorRequest())[1])
        assert len(server.requests) == 1
    assert [verdict for verdict, _ in found] == ["bad", "warn", "warn", "warn"]
    assert all("could not be tried: " in sentence for _, sentence in found[1:])
    assert {letter.type_name for letter in letters.read_all()} == {"Probe"}


def test_a_box_without_probes_answers_as_before(make: MakeBox) -> None:
    names = [check["name"] for check in ask(make(), r.DoctorRequest())[1]["checks"]]
    assert names == ["model", "honcho", "audit"]
