"""Which server is asked, over any course of failures, answers and waits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.messages.model import Endpoint, EndpointFailed, Fault
from bxcore.model.servers import (
    CALM_S,
    RESTS,
    Ask,
    Nobody,
    Server,
    Use,
    choose,
    due,
    next_due_s,
    no_model,
)

ENDPOINT = Endpoint(url="http://a/v1", name="m", profile="native")
NEW = Server(label="a")
READY = NEW.found(ENDPOINT, 0.0)


def failed(server: Server, now_s: float = 10.0, fault: Fault = "gone", rest_s: float | None = None) -> Server:
    failure = EndpointFailed(place=0, probed=1, sentence="it broke", fault=fault, rest_s=rest_s)
    return server.failed(failure, now_s, 0.0)


GONE, SLOW = failed(READY), failed(READY, fault="slow")


@pytest.mark.parametrize(
    ("servers", "choice"),
    [
        ([READY, READY], Use(0)),
        ([NEW, READY], Ask((0,))),
        ([GONE, READY], Use(1)),
        ([SLOW, READY], Use(1)),
        ([GONE, NEW], Ask((1,))),
        ([GONE, GONE], Ask((0, 1))),
        ([SLOW, GONE], Ask((1,))),
        ([SLOW, SLOW], Use(0)),
        ([SLOW], Use(0)),
        ([], Nobody()),
    ],
)
def test_the_first_that_is_ready_is_used_and_a_person_waits_for_no_rest(
    servers: list[Server], choice: object
) -> None:
    assert choose(servers, 10.1) == choice


def test_nobody_is_tried_before_its_time_without_a_person_who_waits() -> None:
    assert choose([GONE, SLOW], 10.1, urgent=False) == Nobody()
    assert choose([NEW], 10.1, urgent=False) == Ask((0,))


def test_a_turn_keeps_its_server_while_that_one_is_well() -> None:
    assert choose([READY, READY], 10.1, using=1) == Use(1)
    assert choose([READY, SLOW], 10.1, using=1) == Use(0)
    assert choose([READY, READY], 10.1, using=1, without=(1,)) == Use(0)
    assert choose([READY, GONE], 10.1, without=(0, 1)) == Nobody()


def test_one_that_is_gone_says_anew_what_it_is_and_a_slow_one_is_known() -> None:
    assert (GONE.endpoint, SLOW.endpoint) == (None, READY.endpoint)
    again = GONE.found(ENDPOINT, 11.0)
    assert (again.probed, again.endpoint and again.endpoint.probed) == (2, 2)
    assert again.ready(11.0)
    assert GONE.found(ENDPOINT, 10.1).ready(10.1), "it was wanted before its rest was over, and answered"


def test_rests_grow_while_it_fails_and_are_short_again_after_a_calm_time() -> None:
    first = GONE.circuit.until_s - 10.0
    assert first == RESTS.first_s / 2
    second = failed(GONE.found(ENDPOINT, 10.2), 10.3)
    assert second.circuit.until_s - 10.3 == RESTS.first_s
    calm = failed(second.found(ENDPOINT, 12.0), 12.1 + CALM_S)
    assert calm.circuit.failures == 1


def test_a_server_s_own_wish_is_heeded() -> None:
    assert failed(READY, rest_s=30.0).circuit.until_s == 40.0


def test_those_whose_rest_is_over_are_due_but_for_the_asked_and_the_embedded() -> None:
    servers = [GONE, SLOW, READY, NEW, failed(Server(label="embedded", alone_again=False, endpoint=ENDPOINT))]
    assert due(servers, 10.2) == ()
    assert due(servers, 10.6) == (0,)
    assert next_due_s(servers, 10.1) == GONE.circuit.until_s
    assert next_due_s([READY, NEW], 10.1) is None
    assert next_due_s([GONE], 99.0) == GONE.circuit.until_s


def test_what_the_owner_sees() -> None:
    assert NEW.state(0.0, in_use=False).text == "not asked yet"
    assert NEW.state(0.0, in_use=False).ok
    assert READY.state(0.0, in_use=True).text == "native profile, in use"
    assert READY.state(0.0, in_use=False).text == "native profile, ready"
    assert failed(READY, rest_s=30.0).state(10.0, in_use=False).text == "left alone for 30 s: it broke"
    assert GONE.state(99.0, in_use=False).text == "it broke"
    assert not GONE.state(99.0, in_use=False).ok
    assert no_model([GONE], "it broke") == "it broke"
    assert no_model([GONE, GONE], "it broke").startswith("none of the 2 models answers; it broke; ")


events = st.tuples(st.integers(0, 2), st.sampled_from(["found", "gone", "slow", "ask"]), st.floats(0, 100))


@given(st.lists(events, max_size=30), st.sets(st.integers(0, 2)), st.none() | st.integers(0, 2))
def test_whatever_happens_a_choice_is_one_that_can_be(
    course: list[tuple[int, str, float]], without: set[int], using: int | None
) -> None:
    servers, now_s = [NEW, NEW, NEW], 0.0
    for place, what, wait_s in course:
        now_s += wait_s
        server = servers[place]
        servers[place] = (
            server.found(ENDPOINT, now_s)
            if what == "found"
            else failed(server, now_s, "slow" if what == "slow" else "gone")
        )
        match choose(servers, now_s, using=using, without=without):
            case Use(place=chosen):
                assert chosen not in without
                assert servers[chosen].endpoint is not None
                better = [at for at in range(chosen) if at not in without and servers[at].ready(now_s)]
                assert not better or chosen == using
            case Ask(places=places):
                assert not set(places) & without
                assert all(servers[at].endpoint is None for at in places)
            case Nobody():
                assert without == {0, 1, 2}
