from __future__ import annotations

from bxcore.sandbox import Guarantee, Probe
from bxcore.sandbox.choose import OFF, Tried, lacking, refusal, view, wanted

ALL = frozenset(Guarantee)
MEMORY, PIDS = Guarantee.MEMORY_LIMIT, Guarantee.PIDS_LIMIT


def tried(name: str, *without: Guarantee) -> Tried:
    missing = tuple((each, f"no {each.value} here") for each in without)
    facts = {"version": "1.2", "image": "busybox", "runtime": "runc"}
    return Tried(name=name, facts=facts, probe=Probe(proven=ALL - set(without), missing=missing))


def absent(name: str, sentence: str) -> Tried:
    return Tried(name=name, facts={}, probe=None, sentence=sentence)


def test_auto_tries_the_stronger_backend_first() -> None:
    assert wanted("auto") == ("podman", "bubblewrap")
    assert [wanted(name) for name in ("podman", "bubblewrap", "none")] == [("podman",), ("bubblewrap",), ()]


def test_what_is_not_proven_lacks_even_when_the_probe_does_not_mention_it() -> None:
    assert lacking(Probe(proven=frozenset()), ()) == tuple(Guarantee)
    assert lacking(Probe(proven=ALL - {PIDS}), ()) == (PIDS,)


def test_an_accepted_guarantee_may_lack_and_no_other() -> None:
    probe = Probe(proven=ALL - {MEMORY, PIDS})
    assert lacking(probe, ("memory-limit",)) == (PIDS,)
    assert lacking(probe, ("memory-limit", "pids-limit")) == ()


def test_a_refusal_names_each_guarantee_and_the_line_that_accepts_them() -> None:
    assert refusal(tried("bubblewrap", MEMORY, PIDS), ("no-network", "pids-limit")) == (
        "bubblewrap cannot promise memory-limit (no memory-limit here); "
        'to do without, set [containers] accept = ["no-network", "memory-limit", "pids-limit"]'
    )


def test_a_sandbox_that_is_proven_is_ready() -> None:
    seen = view([absent("podman", "podman is not there"), tried("bubblewrap", MEMORY)], ("memory-limit",))
    assert (seen.ready, seen.backend, seen.version, seen.image) == (True, "bubblewrap", "1.2", "busybox")
    assert seen.sentence == "tools run in bubblewrap, without memory-limit (accepted)"
    assert (seen.missing, seen.accepted) == (((MEMORY, "no memory-limit here"),), (MEMORY,))
    assert seen.details == (("runtime", "runc"),)


def test_with_none_each_is_told_why() -> None:
    seen = view([absent("podman", "podman is not there"), tried("bubblewrap", MEMORY)], ())
    assert (seen.ready, seen.backend) == (False, "bubblewrap")
    assert seen.sentence == (
        "no tool runs: podman is not there; or: bubblewrap cannot promise memory-limit "
        '(no memory-limit here); to do without, set [containers] accept = ["memory-limit"]'
    )
    assert view([absent("podman", "install it")], ()).sentence == "no tool runs: install it"


def test_a_backend_that_is_switched_off_is_said_to_be() -> None:
    seen = view([], ())
    assert (seen.ready, seen.backend, seen.sentence) == (False, None, OFF)
