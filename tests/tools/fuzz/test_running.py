"""The fuzzer finds what breaks, keeps the shortest, and gives an input up that does not end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.fuzz import running
from tools.fuzz.running import attempt, run, save
from tools.fuzz.target import BrokenPromiseError, Target, promise, split, text_of


def target(check: Callable[[bytes], None], *seeds: bytes) -> Target:
    return Target(name="a-target", check=check, seeds=seeds or (b"seed",), words=(b"bad",))


def no_bad_word(data: bytes) -> None:
    promise(b"bad" not in data, "the word is there")


def test_a_broken_promise_is_found_and_the_shortest_input_is_kept() -> None:
    tally = run(target(no_bad_word, b"a long one with a bad word"), 1, executions=2_000)
    assert tally.executions == 2_000
    (finding,) = tally.findings.values()
    assert finding.what == "BrokenPromiseError: the word is there"
    assert "no_bad_word" in finding.trace
    assert len(finding.data) < 12


def test_two_faults_are_two_findings() -> None:
    def check(data: bytes) -> None:
        no_bad_word(data)
        [0][data.count(b"s")]

    tally = run(target(check), 1, executions=500)
    assert sorted(found.what.partition(":")[0] for found in tally.findings.values()) == [
        "BrokenPromiseError",
        "IndexError",
    ]


def test_a_run_can_be_made_again_from_its_seed() -> None:
    seen: list[list[bytes]] = []
    for _ in range(2):
        seen.append([])
        run(target(seen[-1].append), 7, executions=50)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 50


def test_an_input_that_takes_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SLOW_S", 0.0)
    finding, took_s = attempt(target(lambda _data: None), b"x")
    assert finding is not None
    assert finding.what.startswith("Slow: ")
    assert took_s >= 0


def test_an_input_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(_data: bytes) -> None:
        stop = time.monotonic() + 20
        while time.monotonic() < stop:
            pass

    monkeypatch.setattr(running, "GIVE_UP_S", 0.05)
    tally = run(target(forever), 1, executions=1)
    assert [found.what for found in tally.findings.values()] == ["GivenUpError: given up after 0.05 s"]


def test_a_run_ends_with_its_time() -> None:
    assert run(target(lambda _data: None), 1, seconds=0.05).executions > 0


def test_a_finding_is_kept_as_a_file_named_for_its_target(tmp_path: Path) -> None:
    finding, _ = attempt(target(no_bad_word), b"bad")
    assert finding is not None
    path = save(finding, tmp_path / "found")
    assert path.name.startswith("a-target-")
    assert path.read_bytes() == b"bad"


def test_any_bytes_are_a_text_for_a_target_and_a_first_byte_a_choice() -> None:
    assert text_of(b"\xff\xc3\xa9") == "\udcff\u00e9"
    assert split(b"") == (0, b"")
    assert split(b"\x05rest") == (5, b"rest")
    with pytest.raises(BrokenPromiseError, match="why"):
        promise([], "why")
