from __future__ import annotations

from typing import Literal

import pytest

from bxcore.doctor import Check, Verdict, check_json, honcho_check, sandbox_checks, sandbox_fact
from bxcore.doctor.meaning import meaning_fact
from bxcore.sandbox import Guarantee, SandboxView
from bxcore.sandbox.choose import NOT_NEEDED, OFF, SEARCHING
from bxcore.sandbox.podman_words import HOW_TO_INSTALL, missing_image

WHY = "a limit of 64 MB did not stop 128 MB"


def view(**changed: object) -> SandboxView:
    fields: dict[str, object] = {
        "backend": "podman",
        "version": "4.3.1",
        "image": "localhost/boxmaker-tools",
        "proven": (Guarantee.NO_NETWORK, Guarantee.NO_CAPABILITIES),
        "ready": True,
        "sentence": "podman, ready",
        "details": (("runtime", "crun"), ("cgroup", "v2")),
    }
    return SandboxView(**{**fields, **changed})  # type: ignore[arg-type]  # fields of a test


def by_name(found: SandboxView) -> dict[str, Check]:
    return {check.name: check for check in sandbox_checks(found)}


def test_a_sandbox_that_is_ready_has_nothing_to_mend() -> None:
    checks = by_name(view())
    assert {check.verdict for check in checks.values()} == {Verdict.OK}
    assert {check.help for check in checks.values()} == {None}
    assert checks["sandbox details"].sentence == (
        "backend podman 4.3.1, image localhost/boxmaker-tools, runtime crun, cgroup v2"
    )
    assert checks["proven"].sentence == "a probe proved no-capabilities, no-network"


def test_a_machine_without_a_backend_is_told_how_to_get_one() -> None:
    checks = by_name(
        view(
            backend=None,
            version=None,
            image=None,
            proven=(),
            details=(),
            ready=False,
            sentence=f"no tool runs: {HOW_TO_INSTALL}",
        )
    )
    assert list(checks) == ["sandbox"]
    assert checks["sandbox"].verdict is Verdict.BAD
    assert checks["sandbox"].help is not None
    assert "apt-get install podman" in checks["sandbox"].help


def test_podman_that_is_here_without_its_image_is_not_to_be_installed() -> None:
    sentence = f"no tool runs: {missing_image('localhost/x')}"
    found = view(backend=None, version=None, image=None, proven=(), ready=False, sentence=sentence)
    assert by_name(found)["sandbox"].help == "do what it says; the next call looks again"


def test_podman_without_an_image_is_told_how_to_make_one() -> None:
    check = by_name(view(image=None, ready=False, sentence="podman has no image"))["sandbox"]
    assert check.verdict is Verdict.BAD
    assert check.help is not None
    assert "boxmaker image build" in check.help
    assert "podman pull" in check.help


@pytest.mark.parametrize(
    ("accepted", "verdict", "sentence"),
    [
        ((), Verdict.BAD, f"not proven: {WHY}"),
        ((Guarantee.MEMORY_LIMIT,), Verdict.WARN, f"not proven, accepted: {WHY}"),
        ((Guarantee.PIDS_LIMIT,), Verdict.BAD, f"not proven: {WHY}"),
    ],
)
def test_a_guarantee_that_was_not_proven_says_whether_it_is_accepted(
    accepted: tuple[Guarantee, ...], verdict: Verdict, sentence: str
) -> None:
    found = view(missing=((Guarantee.MEMORY_LIMIT, WHY),), accepted=accepted, ready=verdict is Verdict.WARN)
    check = by_name(found)["memory-limit"]
    assert (check.verdict, check.sentence) == (verdict, sentence)
    assert check.help == (
        None if verdict is Verdict.WARN else 'mend it, or do without: [containers] accept = ["memory-limit"]'
    )
    whole = by_name(found)["sandbox"]
    assert (whole.help is None) == (verdict is Verdict.WARN)
    if whole.help is not None:
        assert 'accept = ["memory-limit"' in whole.help


def test_a_box_whose_grants_need_a_sandbox_that_is_not_there_is_degraded() -> None:
    fact = sandbox_fact(view(ready=False, sentence="tools do not run: no image"))
    assert (fact.name, fact.text, fact.ok) == ("sandbox", "tools do not run: no image", False)
    assert sandbox_fact(view()).ok


@pytest.mark.parametrize(("sentence", "help_"), [(OFF, "set it to auto"), (SEARCHING, "bxctl doctor")])
def test_a_search_that_runs_and_the_owner_s_own_no_degrade_nothing(sentence: str, help_: str) -> None:
    found = view(backend=None, proven=(), ready=False, sentence=sentence)
    assert sandbox_fact(found).ok
    assert (by_name(found)["sandbox"].verdict, by_name(found)["sandbox"].help) == (Verdict.WARN, help_)


def test_the_line_that_accepts_keeps_what_was_accepted_before() -> None:
    lacks = ((Guarantee.MEMORY_LIMIT, WHY), (Guarantee.PIDS_LIMIT, WHY))
    check = by_name(view(missing=lacks, accepted=(Guarantee.PIDS_LIMIT,), ready=False))["sandbox"]
    assert check.help == 'mend it, or do without: [containers] accept = ["memory-limit", "pids-limit"]'


@pytest.mark.parametrize(
    ("counters", "verdict", "sentence"),
    [
        (None, Verdict.WARN, "nobody could say how many turns wait for it"),
        ({"waiting": 0, "failures": 0}, Verdict.OK, "every turn is delivered"),
        ({"waiting": 1, "failures": 0}, Verdict.OK, "1 turn waits for it"),
        (
            {"waiting": 3, "failures": 2},
            Verdict.WARN,
            "3 turns wait for it, the last 2 attempts failed; t",
        ),
        ({"waiting": 1, "failures": 1}, Verdict.WARN, "1 turn waits for it, the last attempt failed; it is"),
        (
            {"waiting": 2, "failures": 1, "failing": "503, x"},
            Verdict.WARN,
            "2 turns wait for it, the last attempt failed (503, x); they are tried again",
        ),
        ({}, Verdict.WARN, "nobody could say how many turns wait for it"),
        ({"waiting": 0, "failures": 0, "parked": 3}, Verdict.WARN, "3 turns are parked and not tried again"),
        ({"waiting": 2, "failures": 0, "parked": 1}, Verdict.WARN, "2 turns wait for it; 1 turn is parked"),
        (
            {"waiting": 0, "failures": 0, "parked": 3, "refuses all": 1},
            Verdict.WARN,
            "3 turns are parked and not tried again without your word; it refuses every turn",
        ),
    ],
)
def test_the_way_to_honcho(counters: dict[str, object] | None, verdict: Verdict, sentence: str) -> None:
    check = honcho_check(counters)
    assert check.verdict is verdict
    assert check.sentence.startswith(sentence)
    assert (check.help is None) == (verdict is Verdict.OK)


def test_a_check_is_written_for_the_wire() -> None:
    check = Check(name="x", verdict=Verdict.WARN, sentence="so so", help="do this")
    assert check_json(check) == {"name": "x", "verdict": "warn", "sentence": "so so", "help": "do this"}


def test_a_box_that_needs_no_sandbox_has_nothing_to_mend() -> None:
    assert (NOT_NEEDED.ready, NOT_NEEDED.sought) == (False, False)
    checks = by_name(NOT_NEEDED)
    assert list(checks) == ["sandbox"]
    assert (checks["sandbox"].verdict, checks["sandbox"].help) == (Verdict.OK, None)
    assert "no sandbox was looked for" in checks["sandbox"].sentence
    assert (sandbox_fact(NOT_NEEDED).ok, sandbox_fact(NOT_NEEDED).text) == (True, NOT_NEEDED.sentence)


@pytest.mark.parametrize(
    ("setting", "installed", "ok", "part"),
    [
        ("auto", True, True, "on, beside"),
        ("auto", False, True, "pip install 'boxmaker[semantic]' adds it"),
        (True, True, True, "on, beside"),
        (True, False, False, "wanted by [memory] semantic"),
        (False, True, True, "off by [memory] semantic"),
        (False, False, True, "off by [memory] semantic"),
    ],
)
def test_recall_by_meaning_is_a_fault_only_when_it_is_wanted_in_vain(
    setting: Literal["auto"] | bool,  # noqa: FBT001
    installed: bool,  # noqa: FBT001
    ok: bool,  # noqa: FBT001
    part: str,
) -> None:
    fact = meaning_fact(setting, installed=installed)
    assert fact.ok is ok
    assert part in fact.text
    assert ok or fact.help == "pip install 'boxmaker[semantic]'"
